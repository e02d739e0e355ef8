#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/gemm.h"

namespace compeer::kernels {

/// Log-probabilities over the vocabulary without ever holding [tokens, vocabulary]: logits come in tiles of 2048
/// columns at absolute positions. In each tile a maximum and sums in 16 virtual lanes; tiles are combined in order in
/// double precision. Tile size and order are part of the bits: sampling and training both go through here.
constexpr int64_t vocabulary_tile = 2048;

/// What is known of one row's distribution softmax(logits * inverse_temperature).
struct Distribution {
  double log_sum = 0;  ///< log of the sum of exp(scaled logit)
  double entropy = 0;  ///< in nats
  float log_prob(float logit, float inverse_temperature) const {
    return static_cast<float>(static_cast<double>(logit * inverse_temperature) - log_sum);
  }
};

/// The weight of one tile of a row: `max` of its scaled logits, `sum` of exp(scaled logit - max).
struct TileMass {
  float max = 0, sum = 0;
};

/// From a whole row of logits, as sampling has it: the same bits as token_logprobs computes tile by tile. `tiles` (or
/// null) gets one entry for each.
Distribution distribution(const float* logits, int64_t vocabulary, float inverse_temperature,
                          TileMass* tiles = nullptr);

/// Tiles of logits that forward leaves for backward, which overwrites them: as many as a fixed room holds, whatever the
/// vocabulary; the others are computed again, to the same bits.
class KeptLogits {
 public:
  explicit KeptLogits(int64_t floats) : left_(floats) {}
  float* keep(int64_t row, int64_t first, int64_t floats);  ///< null: no room
  float* of(int64_t row, int64_t first);                    ///< null: not kept

 private:
  int64_t left_;
  std::map<std::pair<int64_t, int64_t>, std::unique_ptr<float[]>> tiles_;
};
constexpr int64_t kept_logit_count = int64_t{1} << 26;  ///< 256 MiB

/// hidden [rows, width], head [width, vocabulary], target [rows] -> log_prob, entropy, log_sum [rows]. `kept` may be
/// null. `runs`: see Weight::add_gradient.
void token_logprobs(const float* hidden, int64_t rows, const std::vector<int64_t>& runs, const RightMatrix& head,
                    const int64_t* target, float inverse_temperature, float* log_prob, float* entropy, double* log_sum,
                    KeptLogits* kept);

/// What forward found, and the gradients d log_prob [rows] and d entropy [rows] (or null) of what it gave.
struct LogprobGradient {
  const double* log_sum;
  const float *entropy, *dlog_prob, *dentropy;
};

///   d logit_v = inverse_temperature * (dlp (1[v = target] - p_v) - dent p_v (log p_v + entropy))
/// dhidden (or null) is written, dhead [vocabulary, width] (or null) is added to. `back` is `head` again, in the form
/// whose transpose is to be multiplied by.
void token_logprobs_backward(const float* hidden, int64_t rows, const std::vector<int64_t>& runs,
                             const RightMatrix& head, const RightMatrix& back, const int64_t* target,
                             float inverse_temperature, const LogprobGradient& given, float* dhidden, float* dhead,
                             KeptLogits* kept);

}  // namespace compeer::kernels
