#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/attention.h"
#include "kernels/weight.h"

namespace compeer::kernels {

/// Building blocks of the engine `libtorch`, on any device: plain tensor operations, in contrast to the exact kernels
/// on the CPU. If `pairs` (weight format bfloat16_pairs), the factors of products, also those of gradients, are rounded
/// to bfloat16 and sums are float32, as in the exact kernels, but the order of the sums is libtorch's.

/// Returns the matrix product of a [m, k] and b [k, n] in float32. Both factors are float32, or both are bfloat16.
/// Without gradient.
at::Tensor sum_of_products(const at::Tensor& a, const at::Tensor& b);

/// Returns x rounded to bfloat16 if `pairs` and gradients are disabled, so that several products need not round it
/// again. Otherwise returns x itself, which the backward pass needs.
at::Tensor rounded_factor(const at::Tensor& x, bool pairs);

/// x [rows, in] -> x W^T [rows, out], differentiable; W = `matrix` [out, in] is float32 or bfloat16. `pairs`: round
/// both factors to bfloat16.
at::Tensor linear_product(const at::Tensor& x, const at::Tensor& matrix, bool pairs);

/// Embedding: tokens int64 [rows], weight [vocabulary, width] -> float32 [rows, width], differentiable.
at::Tensor embedding_rows(const at::Tensor& tokens, const at::Tensor& weight);

/// Scaled dot-product attention with libtorch, for heads of given sizes. If `pairs` of the heads is set, computes in
/// bfloat16 on CUDA, and on other devices in float32 with factors rounded to bfloat16; otherwise in float32.
struct AttentionFactors {
  AttentionFactors(Heads head_sizes, at::Device device)
      : heads(head_sizes), type(head_sizes.pairs && device.is_cuda() ? at::kBFloat16 : at::kFloat) {}

  /// Returns the additive mask for a batch of n sequences with `length` queries each. `visible`, bool [n, length,
  /// keys]: true if the query attends to the key. Result: [n, 1, heads.queries_per_key() * length, keys] of `type`, 0
  /// for visible keys and -infinity for others.
  at::Tensor mask(const at::Tensor& visible) const;
  /// Computes attention of n sequences: q [n * length, query heads * dim], k and v [n, keys, key heads, dim], a result
  /// of mask() -> [n * length, query heads * dim].
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask) const;

  Heads heads;          ///< numbers and size of heads
  at::ScalarType type;  ///< type of the operands of attention: bfloat16 or float32
};

/// Result of `draw`: tensors [places] on the host.
struct Draws {
  at::Tensor token, log_prob, entropy;  ///< int64 ids; float32 natural-log probabilities; float32 entropies in nats
};

/// One token to be sampled.
struct DrawPlace {
  int64_t row;  ///< row of hidden states that gives the distribution; several tokens may share one
  double u;     ///< uniform random number in [0, 1)
};
/// Samples a token for each of `places` from softmax(hidden W^T / temperature), on the device of W = `head`
/// [vocabulary, width]. hidden [rows, width]. The token is the first, in the order of ids, at which the cumulative
/// probability (float64) exceeds u; if `greedy`, it is the first of the most likely. If logits are not finite, log_prob
/// is NaN.
Draws draw(const at::Tensor& hidden, Weight& head, double temperature, bool greedy,
           const std::vector<DrawPlace>& places);

}  // namespace compeer::kernels
