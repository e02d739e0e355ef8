#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/logprob.h"
#include "spec/tables.h"

namespace compeer::rollout {

using spec::Sampling;

/// Key of the random number that a token is sampled with. It does not depend on ranks, batches or order.
struct TokenDraw {
  uint64_t seed = 0;
  uint32_t step = 0, prompt = 0, completion = 0, position = 0;  ///< position: tokens of the completion before this one
};
/// Returns the random number, uniform in [0, 1).
double uniform_of(const TokenDraw& draw);

/// A token, with log-probability and entropy of the distribution at the temperature, before filters and penalty, as the
/// trainer computes them.
struct SampledToken {
  int32_t id = 0;
  float log_prob = 0;  ///< natural logarithm; NaN if logits were not finite
  float entropy = 0;   ///< in nats
};

/// The distribution after all filters, in the order of ids.
struct FilteredDistribution {
  std::vector<int32_t> ids;
  std::vector<double> probabilities;  ///< sum to 1
};

/// Samples tokens from rows of logits [vocabulary]. Holds scratch memory: use one per thread.
class Sampler {
 public:
  Sampler(const Sampling& sampling, int64_t vocabulary);

  /// Changes the settings for the calls that follow.
  void use(const Sampling& sampling);

  /// Samples one token. `seen`: the distinct tokens of the sequence so far, read only with repetition_penalty. May
  /// overwrite `logits` while it works. If logits are not finite, id is 0 and log_prob and entropy are NaN.
  SampledToken sample(float* logits, std::span<const int32_t> seen, const TokenDraw& draw);

  /// Returns the distribution that `sample` samples from (unless greedy), in double precision. Applies the repetition
  /// penalty to `logits`.
  FilteredDistribution filtered_distribution(float* logits, std::span<const int32_t> seen);

 private:
  void penalize(float* logits, std::span<const int32_t> seen) const;  // applies repetition_penalty
  // Sets `tiles_`, `top_` and `mass_` for a row of logits, and returns its summary.
  kernels::Distribution measure(const float* logits);
  // Samples from the unfiltered distribution of the row measured last, with the uniform random number u.
  int32_t draw_from_all(const float* logits, double u);
  bool filters() const { return top_k() > 0 || sampling_.top_p < 1 || sampling_.min_p > 0; }
  int64_t top_k() const { return sampling_.top_k < vocabulary_ ? sampling_.top_k : 0; }  // 0: off
  // Applies top_k, top_p and min_p to the row measured last: sets the candidates (`ids_`, `weights_`, `count_`).
  void filter(const float* logits);
  // Makes the `count` tokens with the largest logits, and all ties, the candidates.
  void keep_likeliest(const float* logits, int64_t count);
  // Keeps only the candidates that a Cutoff selects.
  void keep_if(float least, int64_t ties);

  Sampling sampling_;
  const int64_t vocabulary_;
  float scale_ = 1;                       // 1 / temperature
  std::vector<kernels::TileMass> tiles_;  // softmax sums per vocabulary tile of the row measured last
  float top_ = 0;                         // largest scaled logit of that row
  double mass_ = 0;                       // sum of exp(scaled logit - top_) over the vocabulary
  std::vector<int32_t> ids_;              // the first count_ are the candidates
  std::vector<float> weights_;            // exp(scaled logit - top_) of each candidate
  std::vector<float> work_;               // scratch memory
  int64_t count_ = 0;                     // number of candidates
};

/// Result of `top_p_cutoff`: the set is all weights above `least` and the first `ties` of the weights equal to it.
struct Cutoff {
  float least = 0;
  int64_t ties = 0;
};

/// Returns the smallest set of the largest weights with a sum of at least `target` (top-p). Weights must be finite and
/// not negative. Radix select without sorting: weights are summed in buckets by their leading bits, and only the bucket
/// in which the sum reaches `target` is refined. Sums are in double precision, in a fixed order.
Cutoff top_p_cutoff(std::span<const float> weights, double target);

}  // namespace compeer::rollout
