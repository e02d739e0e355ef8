#pragma once
#include <span>

namespace compeer::statistics {

/// Of all pairs of a value of `above` and one of `below`: how many are in that order, ties counting one half. Divided
/// by the number of pairs it is one half by chance (the area under the ROC curve). No value is NaN.
double in_order(std::span<const double> above, std::span<const double> below);

}  // namespace compeer::statistics
