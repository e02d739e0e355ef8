#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/conversation.h"
#include "empathy/format.h"
#include "empathy/judgement.h"

namespace compeer::cer {

/// A record of a data run (scripts/build_cer.lua): a round of a dialogue, a model's completion for it, and annotators'
/// labels. docs/data.md describes the layout.
struct Record {
  std::string id;
  std::vector<Turn> history;
  std::string reference;             ///< the supporter's own reply
  empathy::Structured candidate;     ///< the completion
  bool labelled = false;             ///< true if the following labels exist
  std::array<bool, 3> steps{};       ///< whether each step is right
  empathy::Preference preference{};  ///< the first reply is the reference
  nlohmann::json all;                ///< the whole record
};

/// Parses a record. Throws std::runtime_error with the problem, as in "has no 'reference'".
Record read(nlohmann::json record);

}  // namespace compeer::cer
