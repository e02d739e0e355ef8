#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/conversation.h"
#include "empathy/format.h"
#include "empathy/judgement.h"

// Records of the data set CER, for training policies and judges. The data run scripts/build_cer.lua makes them from
// dialogues between a seeker, a person in need of emotional support, and a supporter.

namespace compeer::cer {

/// One record: a dialogue up to an utterance of the seeker, the supporter's own reply to it, a model's completion for
/// it, and annotators' labels of the completion. docs/data.md describes the JSON layout.
struct Record {
  std::string id;                    ///< unique name of the record
  std::vector<Turn> history;         ///< the dialogue so far; ends with the seeker's utterance
  std::string reference;             ///< the supporter's own reply in the dialogue
  empathy::Structured candidate;     ///< the model's completion: three reasoning steps and a reply
  bool labelled = false;             ///< true if the record has labels: `steps` and `preference` are valid
  std::array<bool, 3> steps{};       ///< label of each step (history, emotion, strategy): true if it is right
  empathy::Preference preference{};  ///< label: the better reply; the reference is the first, the candidate the second
  nlohmann::json all;                ///< the whole record as read
};

/// Converts a record from JSON. Throws std::runtime_error with the problem, as in "has no 'reference'".
Record read(nlohmann::json record);

}  // namespace compeer::cer
