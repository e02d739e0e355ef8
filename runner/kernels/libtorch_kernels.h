#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/attention.h"
#include "kernels/weight.h"

namespace compeer::kernels {

/// Building blocks of the engine `libtorch`, on any device. In bfloat16 pairs (`pairs`) the factors of products, also
/// those of gradients, are rounded to bfloat16 and sums are float32, as in the exact kernels (gemm.h), but the order of
/// the sums is libtorch's.

/// Returns the matrix product a b in float32. Both factors are float32, or both are bfloat16. Without gradient.
at::Tensor sum_of_products(const at::Tensor& a, const at::Tensor& b);

/// Returns x rounded to bfloat16 if `pairs` and gradients are disabled, so that several products need not round it
/// again. Otherwise x itself, which the backward pass needs.
at::Tensor rounded_factor(const at::Tensor& x, bool pairs);

/// x [rows, in] -> x W^T [rows, out], differentiable; W [out, in] is float32 or bfloat16.
at::Tensor linear_product(const at::Tensor& x, const at::Tensor& matrix, bool pairs);

/// Embedding: tokens int64 [rows], weight [vocabulary, width] -> float32 [rows, width], differentiable.
at::Tensor embedding_rows(const at::Tensor& tokens, const at::Tensor& weight);

/// Attention with libtorch. Computes in bfloat16 on CUDA if `of.pairs`, otherwise in float32, with factors rounded to
/// bfloat16 if `of.pairs`.
struct AttentionFactors {
  AttentionFactors(Heads of, at::Device device)
      : heads(of), type(of.pairs && device.is_cuda() ? at::kBFloat16 : at::kFloat) {}

  /// Returns an additive mask [n, 1, heads.queries_per_key() * length, keys] of `type` for visible keys `seen`, bool
  /// [n, length, keys]: 0 where a key is visible, otherwise -infinity.
  at::Tensor mask(const at::Tensor& seen) const;
  /// q [n * length, query heads * dim], k and v [n, keys, key heads, dim], `mask` as from mask() -> [n * length, query
  /// heads * dim], all of `type`.
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask) const;

  Heads heads;
  at::ScalarType type;  ///< type that is computed in
};

/// Sampled tokens with log-probability and entropy, on the host: int64, float32 and float32 [draws].
struct Draws {
  at::Tensor token, log_prob, entropy;
};

/// A token to be sampled from the distribution of row `row` of hidden, with the uniform random number u in [0, 1).
struct DrawPlace {
  int64_t row;
  double u;
};
/// Samples a token for each of `places` from softmax(hidden W^T / temperature), on the device of the head. hidden
/// [rows, width]. The token is the first, in the order of ids, at which the cumulative probability (float64) exceeds u;
/// if `greedy`, it is the first of the most likely. If logits are not finite, log_prob is NaN.
Draws draw(const at::Tensor& hidden, Weight& head, double temperature, bool greedy,
           const std::vector<DrawPlace>& places);

}  // namespace compeer::kernels
