#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/conversation.h"
#include "empathy/format.h"
#include "empathy/judgement.h"

namespace compeer::cer {

/// A CER record: one answer of a supporter, what a model wrote in its place, and what annotators say of it. As
/// `scripts/build_cer.lua` makes them; docs/data.md has the layout.
struct Record {
  std::string id;
  std::vector<Turn> history;
  std::string reference;             ///< the supporter's own reply
  empathy::Structured candidate;     ///< what was written
  bool labelled = false;             ///< is there what follows?
  std::array<bool, 3> steps{};       ///< is each step right?
  empathy::Preference preference{};  ///< first: the reference
  nlohmann::json all;                ///< the record as it stands
};

/// Throws std::runtime_error saying what is missing or wrong: "has no 'reference'".
Record read(nlohmann::json record);

}  // namespace compeer::cer
