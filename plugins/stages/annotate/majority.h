#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "empathy/judgement.h"

namespace compeer::stages {

/// One annotator's judgement of a completion: its three steps, and its reply against another one.
struct Annotation {
  std::array<bool, 3> steps = {};
  empathy::Preference preference = empathy::Preference::both;

  bool operator==(const Annotation&) const = default;
};

/// What at least two annotators say of each thing; nothing if there is a thing no two agree on.
std::optional<Annotation> majority(const std::vector<Annotation>& all);

}  // namespace compeer::stages
