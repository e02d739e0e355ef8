#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/attention.h"
#include "kernels/weight.h"

namespace compeer::kernels {

/// What libtorch's engine multiplies, on any device. In bfloat16 pairs factors are rounded to bfloat16, those of
/// gradients too, and sums are float32, as exact kernels do it (gemm.h) but for the order of the sums.

/// a b in float32, of factors in float32 or both in bfloat16. Without gradient.
at::Tensor sum_of_products(const at::Tensor& a, const at::Tensor& b);

/// What several products multiply, rounded once: where there is no way back, which needs it as it was.
at::Tensor factor_of(const at::Tensor& x, bool pairs);

/// x [rows, in] -> x W^T [rows, out]; W [out, in] is float32 or bfloat16.
at::Tensor times(const at::Tensor& x, const at::Tensor& matrix, bool pairs);

/// tokens int64 [rows], weight [vocabulary, width] -> their rows in float32.
at::Tensor rows_of(const at::Tensor& tokens, const at::Tensor& weight);

/// What attention on `device` multiplies: on CUDA bfloat16 as it is, elsewhere float32 that may be rounded before.
struct AttentionFactors {
  AttentionFactors(Heads of, at::Device device)
      : heads(of), type(of.pairs && device.is_cuda() ? at::kBFloat16 : at::kFloat) {}

  /// bool [n, length, keys] -> 0 where a key is seen, else -infinity, for the query heads that share a key head.
  at::Tensor mask(const at::Tensor& seen) const;
  /// q [n * length, query heads * dim], k and v [n, keys, key heads, dim] -> [n * length, query heads * dim], of `type`
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask) const;

  Heads heads;
  at::ScalarType type;
};

/// Tokens that were drawn where the head is, on the host: int64, float32 and float32 [draws].
struct Draws {
  at::Tensor token, log_prob, entropy;
};

/// One for each of `places`: row `row` of hidden [rows, width], and u in [0, 1). The token is the first at which the
/// probabilities, in the order of ids and in double precision, add up to more than u; greedy: the first of the
/// likeliest. Logits that are not finite numbers give a log_prob that is none.
struct DrawPlace {
  int64_t row;
  double u;
};
Draws draw(const at::Tensor& hidden, Weight& head, double temperature, bool greedy,
           const std::vector<DrawPlace>& places);

}  // namespace compeer::kernels
