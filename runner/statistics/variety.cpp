// Diversity of texts from sorted hashes of n-grams.
#include "statistics/variety.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace compeer::statistics {

namespace {

// A bijection of 64 bits that mixes all bits (the finalizer of MurmurHash3).
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

uint64_t joined(uint64_t before, uint64_t word) { return mixed(before * 0x9e3779b97f4a7c15ull + word); }

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void add_ngrams(const Words& words, size_t n, std::vector<uint64_t>& to) {
  for (size_t i = 0; i + n <= words.size(); ++i) {
    uint64_t ngram = n;
    for (size_t j = i; j < i + n; ++j) ngram = joined(ngram, words[j]);
    to.push_back(ngram);
  }
}

std::vector<uint64_t> ngrams_of(const TokenizedTexts& texts, int n) {
  std::vector<uint64_t> all;
  for (const Words* text : texts) add_ngrams(*text, static_cast<size_t>(n), all);
  return all;
}

struct NgramCounts {
  uint64_t ngram;
  double times;
};

std::vector<NgramCounts> counted(std::vector<uint64_t> all) {
  std::sort(all.begin(), all.end());
  std::vector<NgramCounts> counts;
  for (const uint64_t ngram : all) {
    if (counts.empty() || counts.back().ngram != ngram) counts.push_back({ngram, 0});
    counts.back().times += 1;
  }
  return counts;
}

std::vector<NgramCounts> counts_of(const Words& words) {
  std::vector<uint64_t> all;
  add_ngrams(words, 1, all);
  add_ngrams(words, 2, all);
  return counted(std::move(all));
}

double product(const std::vector<NgramCounts>& a, const std::vector<NgramCounts>& b) {
  double sum = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].ngram == b[j].ngram) {
      sum += a[i++].times * b[j++].times;
    } else if (a[i].ngram < b[j].ngram) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

// Per text, the number of its n-grams that occur in another text; each counts at most as often as it occurs in the
// other text that has most of it (clipped counts of BLEU). Sorts all n-grams, so that the cost is not quadratic in the
// number of texts.
std::vector<double> found_elsewhere(const TokenizedTexts& texts, size_t n) {
  std::vector<std::pair<uint64_t, size_t>> all;  // n-gram, text
  std::vector<uint64_t> ngrams;
  for (size_t t = 0; t < texts.size(); ++t) {
    ngrams.clear();
    add_ngrams(*texts[t], n, ngrams);
    for (const uint64_t ngram : ngrams) all.emplace_back(ngram, t);
  }
  std::sort(all.begin(), all.end());
  std::vector<double> found(texts.size());
  std::vector<std::pair<size_t, size_t>> having;  // for one n-gram: count, text
  for (size_t begin = 0, i = 0; i < all.size(); begin = i) {
    having.clear();
    for (; i < all.size() && all[i].first == all[begin].first; ++i) {
      if (i == begin || all[i].second != all[i - 1].second) having.emplace_back(0, all[i].second);
      ++having.back().first;
    }
    if (having.size() < 2) continue;
    std::sort(having.rbegin(), having.rend());
    for (size_t k = 0; k < having.size(); ++k)
      found[having[k].second] += static_cast<double>(std::min(having[k].first, having[k == 0 ? 1 : 0].first));
  }
  return found;
}

// BLEU's brevity penalty per text: exp(1 - r / c) for c words if c < r, otherwise 1. r is the length of another text
// nearest to c, the shorter of two.
std::vector<double> brevity_penalties(const TokenizedTexts& texts) {
  std::vector<size_t> lengths;
  for (const Words* text : texts) lengths.push_back(text->size());
  std::sort(lengths.begin(), lengths.end());
  std::vector<double> penalties;
  for (const Words* text : texts) {
    const size_t c = text->size();
    const auto [first, last] = std::equal_range(lengths.begin(), lengths.end(), c);
    const bool alone = last - first == 1, longest = last == lengths.end();
    const bool below = first != lengths.begin() && (longest || c - *(first - 1) <= *last - c);
    penalties.push_back(!alone || below || c == 0 ? 1.0
                                                  : std::exp(1 - static_cast<double>(*last) / static_cast<double>(c)));
  }
  return penalties;
}

}  // namespace

Words words_of(std::string_view text) {
  Words words;
  for (size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (; i < text.size() && !is_space(text[i]); ++i)
      hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211ull;
    words.push_back(mixed(hash));
  }
  return words;
}

double distinct(const TokenizedTexts& texts, int n) {
  auto all = ngrams_of(texts, n);
  if (all.empty()) return 0;
  const auto total = static_cast<double>(all.size());
  std::sort(all.begin(), all.end());
  return static_cast<double>(std::unique(all.begin(), all.end()) - all.begin()) / total;
}

double ngram_entropy(const TokenizedTexts& texts, int n) {
  const auto all = ngrams_of(texts, n);
  const auto total = static_cast<double>(all.size());
  double bits = 0;
  for (const NgramCounts& one : counted(all)) bits -= one.times / total * std::log2(one.times / total);
  return bits;
}

double repeated_fraction(const Words& text, const TokenizedTexts& earlier, int n) {
  const auto own = ngrams_of({&text}, n);
  auto said = ngrams_of(earlier, n);
  std::sort(said.begin(), said.end());
  const auto again = std::count_if(own.begin(), own.end(),
                                   [&](uint64_t ngram) { return std::binary_search(said.begin(), said.end(), ngram); });
  return static_cast<double>(again) / static_cast<double>(own.size());  // NaN if there are none
}

double self_bleu(const TokenizedTexts& texts) {
  if (texts.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  std::array<std::vector<double>, 4> found;
  for (size_t n = 1; n <= found.size(); ++n) found[n - 1] = found_elsewhere(texts, n);
  const auto penalties = brevity_penalties(texts);
  double sum = 0;
  for (size_t t = 0; t < texts.size(); ++t) {
    if (found[0][t] == 0) continue;  // no common word
    double logs = 0;
    for (size_t n = 1; n <= found.size(); ++n) {
      const double matches = found[n - 1][t] > 0 ? found[n - 1][t] : 0.1;
      logs += std::log(matches / static_cast<double>(std::max<size_t>(texts[t]->size() + 1, n + 1) - n)) / 4;
    }
    sum += penalties[t] * std::exp(logs);
  }
  return sum / static_cast<double>(texts.size());
}

double self_similarity(const std::vector<Words>& texts) {
  if (texts.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<NgramCounts>> counts;
  std::vector<double> squares;
  for (const Words& words : texts) {
    counts.push_back(counts_of(words));
    squares.push_back(product(counts.back(), counts.back()));
  }
  double sum = 0, pairs = 0;
  for (size_t a = 0; a < texts.size(); ++a) {
    for (size_t b = a + 1; b < texts.size(); ++b, ++pairs) {
      const double common = product(counts[a], counts[b]);
      if (common > 0) sum += common / std::sqrt(squares[a] * squares[b]);
    }
  }
  return sum / pairs;
}

}  // namespace compeer::statistics
