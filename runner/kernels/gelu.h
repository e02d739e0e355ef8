#pragma once
#include <ATen/core/Tensor.h>

namespace compeer::kernels {

/// x / 2 (1 + erf(x / sqrt 2)), differentiable. Each element is made by the same instructions wherever it stands: the
/// library's own takes others for elements that fill no vector.
at::Tensor gelu(const at::Tensor& x);

}  // namespace compeer::kernels
