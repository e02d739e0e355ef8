#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "empathy/judgement.h"

namespace compeer::stages {

/// One annotator's judgement of a completion: its three steps, and its reply against another one.
struct Judgement {
  std::array<bool, 3> steps = {};
  empathy::Preference preference = empathy::Preference::both;
};

/// True if two annotators say the same of everything.
bool same(const Judgement& a, const Judgement& b);

/// What at least two annotators say of each thing; nothing if there is a thing no two agree on.
std::optional<Judgement> majority(const std::vector<Judgement>& all);

/// Two raters' labels of the same items: observed agreement, Cohen's kappa, Fleiss' kappa. table[i][j]: items that the
/// first gave label i and the second label j. A kappa is NaN if chance alone agrees everywhere, all if there is no
/// item.
struct Agreement {
  double observed, cohen, fleiss;
};
Agreement agreement(const std::vector<std::vector<double>>& table);

}  // namespace compeer::stages
