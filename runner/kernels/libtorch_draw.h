#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/weight.h"

namespace compeer::kernels {

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
