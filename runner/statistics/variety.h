#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

/// Lexical diversity: how much texts repeat themselves and each other.
namespace compeer::statistics {

/// The words of a text as 64-bit hashes. (Two different words collide about once in 10^19 pairs.)
using Words = std::vector<uint64_t>;
/// Texts to compare, as words; pointers are not null and not owned.
using TokenizedTexts = std::vector<const Words*>;

/// Splits a text at ASCII white space and hashes its words.
Words words_of(std::string_view text);

/// Returns distinct-n: the number of different word n-grams over that of all n-grams, of all texts together, in (0, 1];
/// 0 if there are none.
double distinct(const TokenizedTexts& texts, int n);

/// Returns the entropy, in bits, of the n-grams of all texts together: 0 if all are equal, log2 of their number if all
/// are different. Grows with the amount of text: compare equal amounts only. 0 if there are none.
double ngram_entropy(const TokenizedTexts& texts, int n);

/// Returns Self-BLEU (Zhu et al., 2018): the mean over texts of BLEU-4 with all other texts as references, in [0, 1]; 1
/// if all are equal and long enough. A zero count of matches becomes 0.1 (NLTK's smoothing method 1). NaN for fewer
/// than two texts.
double self_bleu(const TokenizedTexts& texts);

/// Returns the fraction of the text's n-grams that occur in any of the earlier texts; NaN if it has none.
double repeated_fraction(const Words& text, const TokenizedTexts& earlier, int n);

/// Returns the mean over all pairs of different texts a and b of the cosine similarity of their n-gram counts,
///
///   s(a, b) = sum_g c_a(g) c_b(g) / sqrt(sum_g c_a(g)^2 sum_g c_b(g)^2)
///
/// where g runs over words and pairs of adjacent words, and c_a(g) is the count of g in a. Equal texts give exactly 1;
/// texts without a common word, and a text without words, 0. NaN for fewer than two texts.
double self_similarity(const std::vector<Words>& texts);

}  // namespace compeer::statistics
