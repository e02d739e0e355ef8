#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

/// How much texts repeat themselves and each other.
namespace compeer::statistics {

/// A text as its words, each of which stands as a number, equal for equal words. (Two different words meet in one
/// number about once in 10^19 pairs.)
using Words = std::vector<uint64_t>;
using TokenizedTexts = std::vector<const Words*>;

/// Words as runs between white space.
Words words_of(std::string_view text);

/// distinct-n: different n-grams of words over all n-grams of all texts, in (0, 1]; 0 if there are none.
double distinct(const TokenizedTexts& texts, int n);

/// Entropy of the n-grams of all texts, in bits: 0 if it is always the same one, the logarithm of their number if none
/// comes twice. Grows with the amount of text: compare equal amounts. 0 if there are none.
double ngram_entropy(const TokenizedTexts& texts, int n);

/// Self-BLEU (Zhu et al., 2018): the mean over texts of BLEU-4 with all the others as references, in [0, 1]; 1 if all
/// are equal and long enough. Where no n-gram matches, 0.1 is counted (NLTK's method 1). NaN for fewer than two texts.
double self_bleu(const TokenizedTexts& texts);

/// Share of a text's n-grams that are in one of the earlier texts; NaN if it has none.
double repeated(const Words& text, const TokenizedTexts& earlier, int n);

/// How much the completions of a group say the same: the mean over pairs a < b of the cosine of their counts,
///
///   s(a, b) = sum_g c_a(g) c_b(g) / sqrt(sum_g c_a(g)^2 sum_g c_b(g)^2)
///
/// where g runs over words and pairs of neighbouring words, and c_a(g) says how often a has g. Equal texts give exactly
/// 1, texts without a common word 0, as does a text without words. NaN for fewer than two texts: there is no pair.
double self_similarity(const std::vector<Words>& texts);

}  // namespace compeer::statistics
