#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/logprob.h"
#include "spec/tables.h"

// Chooses the next token of a completion from the model's logits: repetition penalty, temperature, the filters top-k,
// top-p and min-p, then a random draw by inverse transform sampling. In comments, a scaled logit is logit /
// temperature.

namespace compeer::rollout {

/// Sampling settings: temperature, greedy, top_k, top_p, min_p, repetition_penalty and limits.
using spec::Sampling;

/// Key of the random number that a token is sampled with. The number is a function of the key alone, so it does not
/// depend on ranks, batches or order.
struct TokenDraw {
  uint64_t seed = 0;        ///< seed of the run
  uint32_t step = 0;        ///< number of the training step, or another counter of the caller
  uint32_t prompt = 0;      ///< number of the prompt within the step
  uint32_t completion = 0;  ///< number of the completion of that prompt
  uint32_t position = 0;    ///< number of tokens of the completion before this one
};
/// Returns the random number of a key, uniform in [0, 1).
double uniform_of(const TokenDraw& draw);

/// A sampled token, with log-probability and entropy of the distribution at the temperature, before filters and
/// repetition penalty, as the trainer computes them.
struct SampledToken {
  int32_t id = 0;
  float log_prob = 0;  ///< natural logarithm; NaN if logits were not finite
  float entropy = 0;   ///< in nats; NaN if logits were not finite
};

/// The distribution after all filters: the tokens that can be sampled, ascending by id.
struct FilteredDistribution {
  std::vector<int32_t> ids;           ///< token ids
  std::vector<double> probabilities;  ///< probability of each of `ids`; the sum is 1
};

/// Samples tokens from rows of logits [vocabulary]. Holds scratch memory: use one per thread.
class Sampler {
 public:
  /// `vocabulary`: number of logits of a row.
  Sampler(const Sampling& sampling, int64_t vocabulary);

  /// Changes the settings for the calls that follow.
  void use(const Sampling& sampling);

  /// Samples one token from `logits` [vocabulary], which it may change during the call and restores. `seen`: ids of the
  /// distinct tokens of the sequence so far, used only with a repetition penalty. `draw`: key of the random number. If
  /// logits are not finite, id is 0 and log_prob and entropy are NaN.
  SampledToken sample(float* logits, std::span<const int32_t> seen, const TokenDraw& draw);

  /// Returns the distribution that `sample` samples from (unless greedy), in double precision; for verification. The
  /// repetition penalty stays applied to `logits`.
  FilteredDistribution filtered_distribution(float* logits, std::span<const int32_t> seen);

 private:
  // Applies the repetition penalty in place to the logits of the tokens `seen`.
  void penalize(float* logits, std::span<const int32_t> seen) const;
  // Returns log-sum-exp and entropy of a row, and sets `tiles_`, `top_` and `mass_`.
  kernels::Distribution measure(const float* logits);
  // Returns the token of the random number u in [0, 1) from the whole vocabulary, by inverse transform sampling.
  // Requires `measure` of the same logits.
  int32_t sample_unfiltered(const float* logits, double u);
  // True if any of top-k, top-p and min-p is on.
  bool filters() const { return top_k() > 0 || sampling_.top_p < 1 || sampling_.min_p > 0; }
  // Returns the setting top_k, or 0 (off) if it is not less than the vocabulary.
  int64_t top_k() const { return sampling_.top_k < vocabulary_ ? sampling_.top_k : 0; }
  // Sets the candidates, the tokens that pass top-k, top-p and min-p: `ids_`, `weights_` and `count_`. Requires
  // `measure` of the same logits.
  void filter(const float* logits);
  // Top-k: sets `ids_` and `count_` to the `k` tokens with the largest logits and all ties with the k-th.
  void keep_top_k(const float* logits, int64_t k);
  // Removes the candidates with a weight below `least`, and all but the first `ties` of those with weight `least`.
  void keep_weights_from(float least, int64_t ties);

  Sampling sampling_;
  const int64_t vocabulary_;
  float scale_ = 1;                       // 1 / temperature
  std::vector<kernels::TileMass> tiles_;  // softmax sums per vocabulary tile of the row measured last
  float top_ = 0;                         // largest scaled logit of that row
  double mass_ = 0;                       // sum of exp(scaled logit - top_) over the vocabulary of that row
  std::vector<int32_t> ids_;              // token ids of the candidates, ascending: the first count_ elements
  std::vector<float> weights_;            // exp(scaled logit - top_) of each candidate; without filters: of one tile
  std::vector<float> work_;               // scratch memory of keep_top_k
  int64_t count_ = 0;                     // number of candidates
};

/// Result of `top_p_cutoff`: the set of all weights above `least` and the first `ties` of the weights equal to it.
struct Cutoff {
  float least = 0;   ///< smallest weight in the set
  int64_t ties = 0;  ///< number of weights equal to `least` in the set
};

/// Returns the smallest set of the largest weights with a sum of at least `target` (top-p, with weights that need not
/// sum to 1). If all weights are 0, it is {0, 0}. Weights must be finite and not negative. Radix select without
/// sorting: weights are summed in buckets by their leading bits, and only the bucket in which the sum reaches `target`
/// is refined. Sums are in double precision, in a fixed order.
Cutoff top_p_cutoff(std::span<const float> weights, double target);

}  // namespace compeer::rollout
