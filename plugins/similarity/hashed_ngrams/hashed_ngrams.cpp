// Cosine similarity of the counts of words and n-grams. Needs no model and no data.
//
//   n_max    counts n-grams of 1 to n_max words
//   buckets  number of hash buckets; n-grams in the same bucket count as equal

#include <algorithm>
#include <cmath>
#include <set>

#include "compeer/plugin.h"
#include "compeer/similarity.h"
#include "text/words.h"

namespace {

using namespace compeer;

/// N-gram counts of a text: its buckets in ascending order with their counts.
struct Counts {
  std::vector<std::pair<uint64_t, int64_t>> buckets;
  int64_t squares = 0;  ///< sum of squared counts
};

class HashedNgrams : public Similarity {
 public:
  explicit HashedNgrams(const Settings& settings)
      : n_max_(static_cast<size_t>(settings.integer("n_max"))),
        buckets_(static_cast<uint64_t>(settings.integer("buckets"))) {}

  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
    return compare_ignoring({}, a, b);
  }

  std::vector<std::vector<double>> compare_ignoring(const std::vector<std::string>& said,
                                                    const std::vector<std::string>& a,
                                                    const std::vector<std::string>& b) override {
    std::set<uint64_t> left_out;
    for (const auto& one : said) {
      for (const uint64_t bucket : buckets_of(one)) left_out.insert(bucket);
    }
    const auto left = count_all(a, left_out), right = count_all(b, left_out);
    std::vector<std::vector<double>> cosines(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      for (const auto& y : right) cosines[i].push_back(cosine(left[i], y));
    }
    return cosines;
  }

 private:
  std::vector<Counts> count_all(const std::vector<std::string>& texts, const std::set<uint64_t>& left_out) const {
    std::vector<Counts> all;
    for (const auto& one : texts) all.push_back(count(one, left_out));
    return all;
  }

  std::vector<uint64_t> buckets_of(const std::string& one) const {
    const auto words = text::words(one);
    std::vector<uint64_t> all;
    for (size_t n = 1; n <= n_max_; ++n) {
      for (size_t i = 0; i + n <= words.size(); ++i) all.push_back(text::hash(&words[i], &words[i] + n) % buckets_);
    }
    return all;
  }

  Counts count(const std::string& one, const std::set<uint64_t>& left_out) const {
    auto seen = buckets_of(one);
    std::erase_if(seen, [&](uint64_t bucket) { return left_out.contains(bucket); });
    std::sort(seen.begin(), seen.end());
    Counts counts;
    for (const uint64_t bucket : seen) {
      if (counts.buckets.empty() || counts.buckets.back().first != bucket) counts.buckets.emplace_back(bucket, 0);
      ++counts.buckets.back().second;
    }
    for (const auto& [bucket, n] : counts.buckets) counts.squares += n * n;
    return counts;
  }

  // Integer sums are exact, so the result does not depend on the order, and equal texts give exactly 1.
  static double cosine(const Counts& a, const Counts& b) {
    if (a.squares == 0 || b.squares == 0) return 0.0;
    int64_t product = 0;
    auto y = b.buckets.begin();
    for (const auto& [bucket, n] : a.buckets) {
      while (y != b.buckets.end() && y->first < bucket) ++y;
      if (y != b.buckets.end() && y->first == bucket) product += n * y->second;
    }
    return static_cast<double>(product) / std::sqrt(static_cast<double>(a.squares) * static_cast<double>(b.squares));
  }

  size_t n_max_;
  uint64_t buckets_;
};

}  // namespace

COMPEER_PLUGIN(Similarity, similarity, hashed_ngrams, HashedNgrams, R"json(
  "version": "1.0.0",
  "summary": "Cosine of the counts of words and word pairs; needs no model.",
  "parameters": {
    "n_max": {"type": "integer", "default": 2, "min": 1, "max": 8,
              "help": "longest n-gram of words that is counted; 2: words and pairs"},
    "buckets": {"type": "integer", "default": 262144, "min": 16, "max": 1099511627776,
                "help": "number of buckets that n-grams are hashed into"}
  })json")
