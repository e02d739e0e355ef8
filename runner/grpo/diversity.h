#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace compeer::grpo {

/// A text as its words, runs between white space; each stands as a number, equal for equal words. (Two different words
/// meet in one number about once in 10^19 pairs.)
using Words = std::vector<uint64_t>;
Words words_of(std::string_view text);

/// distinct-n: different n-grams of words over all n-grams of all texts, in (0, 1]; 0 if there are none.
double distinct(const std::vector<const Words*>& texts, int n);

/// How much the completions of a group say the same: the mean over pairs a < b of the cosine of their counts,
///
///   s(a, b) = sum_g c_a(g) c_b(g) / sqrt(sum_g c_a(g)^2 sum_g c_b(g)^2)
///
/// where g runs over words and pairs of neighbouring words, and c_a(g) says how often a has g. Equal texts give exactly
/// 1, texts without a common word 0, as does a text without words. NaN for fewer than two texts: there is no pair.
double self_similarity(const std::vector<Words>& texts);

}  // namespace compeer::grpo
