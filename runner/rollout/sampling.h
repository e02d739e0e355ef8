#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/logprob.h"
#include "spec/tables.h"

namespace compeer::rollout {

using spec::Sampling;

/// Which random number a token is drawn with: a function of its place alone, so any rank, batch or order gives the
/// same.
struct TokenDraw {
  uint64_t seed = 0;
  uint32_t step = 0, prompt = 0, completion = 0, position = 0;
};
double uniform_of(const TokenDraw& draw);  ///< in [0, 1)

struct SampledToken {
  int32_t id = 0;
  float log_prob = 0;  ///< of the tempered distribution before filters and penalty: what the trainer computes
  float entropy = 0;   ///< of the same, in nats
};

/// What the filters leave of a row, in the order of ids.
struct Kept {
  std::vector<int32_t> ids;
  std::vector<double> probabilities;
};

/// Draws tokens from rows of logits [vocabulary], which it may overwrite. Holds memory to work in: one for each thread.
class Sampler {
 public:
  Sampler(const Sampling& sampling, int64_t vocabulary);

  /// From now on.
  void use(const Sampling& sampling);

  /// `seen` holds the distinct tokens that the sequence has already; only repetition_penalty reads it. Logits that are
  /// not finite numbers give a log_prob that is none.
  SampledToken sample(float* logits, std::span<const int32_t> seen, const TokenDraw& draw);

  /// The distribution that `sample` draws from, in double precision.
  Kept kept(float* logits, std::span<const int32_t> seen);

 private:
  void penalize(float* logits, std::span<const int32_t> seen) const;
  kernels::Distribution measure(const float* logits);
  int32_t draw_from_all(const float* logits, double u);
  bool filters() const { return top_k() > 0 || sampling_.top_p < 1 || sampling_.min_p > 0; }
  int64_t top_k() const { return sampling_.top_k < vocabulary_ ? sampling_.top_k : 0; }
  void filter(const float* logits);
  void keep_likeliest(const float* logits, int64_t count);
  void keep_if(float least, int64_t ties);

  Sampling sampling_;
  const int64_t vocabulary_;
  float scale_ = 1;                       // 1 / temperature
  std::vector<kernels::TileMass> tiles_;  // of the row that was measured last
  float top_ = 0;                         // its largest scaled logit
  double mass_ = 0;                       // sum of exp(scaled - top_) over the vocabulary
  std::vector<int32_t> ids_;              // candidates, the first `count_`
  std::vector<float> weights_;            // theirs: exp(scaled - top_)
  std::vector<float> work_;
  int64_t count_ = 0;
};

/// Where to cut weights so that the smallest set of the largest that weighs at least `target` is left.
struct Cut {
  float least = 0;   ///< weights above it are in the set
  int64_t ties = 0;  ///< of the weights equal to it, so many
};

/// Weights are at least 0 and finite. Nothing is sorted: weights are counted into buckets by their leading bits, and
/// only the bucket in which the sum passes `target` is looked at more closely. Sums are in double precision, in order.
Cut nucleus(std::span<const float> weights, double target);

}  // namespace compeer::rollout
