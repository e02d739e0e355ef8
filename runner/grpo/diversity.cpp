#include "grpo/diversity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace compeer::grpo {

namespace {

// A bijection of 64 bits that leaves no pattern (the last steps of MurmurHash3).
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

struct Counted {
  uint64_t ngram;
  double times;
};

std::vector<Counted> counts_of(const Words& words) {
  std::vector<uint64_t> all;
  add_ngrams(words, 1, all);
  add_ngrams(words, 2, all);
  std::sort(all.begin(), all.end());
  std::vector<Counted> counts;
  for (const uint64_t ngram : all) {
    if (counts.empty() || counts.back().ngram != ngram) counts.push_back({ngram, 0});
    counts.back().times += 1;
  }
  return counts;
}

double product(const std::vector<Counted>& a, const std::vector<Counted>& b) {
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

double distinct(const std::vector<const Words*>& texts, int n) {
  std::vector<uint64_t> all;
  for (const Words* text : texts) add_ngrams(*text, static_cast<size_t>(n), all);
  if (all.empty()) return 0;
  const auto total = static_cast<double>(all.size());
  std::sort(all.begin(), all.end());
  return static_cast<double>(std::unique(all.begin(), all.end()) - all.begin()) / total;
}

double self_similarity(const std::vector<Words>& texts) {
  if (texts.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<Counted>> counts;
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

}  // namespace compeer::grpo
