#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/gemm.h"

namespace compeer::kernels {

/// Log-probabilities over the vocabulary without storing all logits [tokens, vocabulary]: they are computed in tiles of
/// 2048 columns at absolute positions. Each tile gives a maximum and sums in 16 virtual lanes; tiles are combined in
/// order in float64. Sampling and training both use this order, so their log-probabilities are bitwise identical; the
/// tile size determines the bits. A scaled logit is logit * inverse_temperature; `runs` are the numbers of rows of each
/// sequence, so that with bfloat16 pairs a sequence's gradient does not depend on the others in the batch (empty: all
/// rows are one sequence).
constexpr int64_t vocabulary_tile = 2048;

/// Summary of the distribution softmax(logits * inverse_temperature) of one row.
struct Distribution {
  double log_sum = 0;  ///< natural logarithm of the sum of exp(scaled logit)
  double entropy = 0;  ///< in nats
  /// Returns the log-probability of the token with this logit.
  float log_prob(float logit, float inverse_temperature) const {
    return static_cast<float>(static_cast<double>(logit * inverse_temperature) - log_sum);
  }
};

/// Summary of one tile (2048 columns) of a row: the maximum of its scaled logits, and the sum of exp(scaled logit -
/// max).
struct TileMass {
  float max = 0, sum = 0;
};

/// Summarizes a complete row of logits [vocabulary], for sampling; bitwise identical to token_logprobs, which works
/// tile by tile. If `tiles` is not null, one entry per tile is written to it.
Distribution distribution(const float* logits, int64_t vocabulary, float inverse_temperature,
                          TileMass* tiles = nullptr);

/// Tiles of logits that the forward pass saves for the backward pass (which overwrites them), up to a fixed size. The
/// other tiles are recomputed, bitwise identically.
class KeptLogits {
 public:
  /// `floats`: limit of the total size, in floats.
  explicit KeptLogits(int64_t floats) : left_(floats) {}
  /// Allocates memory of `floats` floats for the tile that begins at row `row` and column `first`. Returns null if the
  /// limit is reached.
  float* keep(int64_t row, int64_t first, int64_t floats);
  /// Returns the memory of the tile that begins at row `row` and column `first`; null if it was not saved.
  float* of(int64_t row, int64_t first);

 private:
  int64_t left_;                                                           // floats that may still be allocated
  std::map<std::pair<int64_t, int64_t>, std::unique_ptr<float[]>> tiles_;  // by row and column of the first element
};
constexpr int64_t kept_logit_count = int64_t{1} << 26;  ///< default limit of KeptLogits in floats: 256 MiB

/// hidden [rows, width], head [width, vocabulary], target [rows] (token ids) -> for each row, the natural-log
/// probability of its target, and entropy and log_sum as in Distribution: log_prob, entropy, log_sum [rows]. Saves
/// logits in `kept`, which may be null.
void token_logprobs(const float* hidden, int64_t rows, const std::vector<int64_t>& runs, const RightMatrix& head,
                    const int64_t* target, float inverse_temperature, float* log_prob, float* entropy, double* log_sum,
                    KeptLogits* kept);

/// Input of token_logprobs_backward, each [rows]: the results log_sum and entropy of token_logprobs, and the gradients
/// with respect to its results log_prob and entropy. dentropy may be null (zero).
struct LogprobGradient {
  const double* log_sum;
  const float *entropy, *dlog_prob, *dentropy;
};

/// Computes the gradients of token_logprobs, given its arguments. With p = softmax of the scaled logits of a row, and
/// dlp and dent its elements of dlog_prob and dentropy:
///   d logit_v = inverse_temperature * (dlp (1[v = target] - p_v) - dent p_v (log p_v + entropy))
/// Writes `dhidden` [rows, width] and adds to `dhead` [vocabulary, width]; either may be null. `back` is the head in
/// the form for multiply_by_transpose (Weight::factor_back). `kept` is that of the forward pass, or null; `given` are
/// the results of the forward pass and their gradients.
void token_logprobs_backward(const float* hidden, int64_t rows, const std::vector<int64_t>& runs,
                             const RightMatrix& head, const RightMatrix& back, const int64_t* target,
                             float inverse_temperature, const LogprobGradient& given, float* dhidden, float* dhead,
                             KeptLogits* kept);

}  // namespace compeer::kernels
