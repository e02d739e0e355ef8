#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "empathy/judgement.h"

namespace compeer::stages {

/// One annotator's judgement of a completion.
struct Annotation {
  std::array<bool, 3> steps = {};                              ///< whether each step is right
  empathy::Preference preference = empathy::Preference::both;  ///< the first reply is the reference

  bool operator==(const Annotation&) const = default;
};

/// Returns the label that at least two annotators give to each question; empty if no two agree on some question.
std::optional<Annotation> majority(const std::vector<Annotation>& all);

}  // namespace compeer::stages
