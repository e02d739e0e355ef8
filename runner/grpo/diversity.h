#pragma once
#include <string>
#include <vector>

namespace compeer::grpo {

/// distinct-n: different n-grams of words over all n-grams of all texts, in (0, 1]; 0 if there are none.
/// Words are runs between white space.
double distinct(const std::vector<std::string>& texts, int n);

}  // namespace compeer::grpo
