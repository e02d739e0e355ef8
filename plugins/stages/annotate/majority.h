#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "empathy/judgement.h"

namespace compeer::stages {

// The common judgement of several annotators, for the stage annotate of a data run. Annotators judge a completion:
// three reasoning steps and a reply, which they compare with a reference reply.

/// One annotator's judgement of a completion.
struct Annotation {
  std::array<bool, 3> steps = {};  ///< whether each step (history, emotion, strategy) is right
  empathy::Preference preference = empathy::Preference::both;  ///< first: the reference is better, second: the reply

  bool operator==(const Annotation&) const = default;
};

/// Returns for each of the four questions the label that at least two annotators give. Returns nullopt if no two agree
/// on some question.
std::optional<Annotation> majority(const std::vector<Annotation>& all);

}  // namespace compeer::stages
