#pragma once
#include <ATen/core/Tensor.h>

namespace compeer::kernels {

/// x / 2 (1 + erf(x / sqrt 2)), each element by the same instructions wherever it stands: the library's own takes
/// others for elements that fill no vector. Where a gradient is asked for, which is when a model is compared with
/// other implementations, it is the library's.
at::Tensor gelu(const at::Tensor& x);

}  // namespace compeer::kernels
