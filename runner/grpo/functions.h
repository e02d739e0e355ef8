#pragma once
#include <ATen/core/Tensor.h>

namespace compeer::grpo {

/// Elementwise e^x and log x. On the CPU they are computed in double by the C library and rounded to x's type, because
/// libtorch calls MKL there, whose results depend on the processor in the last bit. On other devices they are
/// libtorch's.
at::Tensor exact_exp(const at::Tensor& x);  ///< differentiable
at::Tensor exact_log(const at::Tensor& x);  ///< without gradient on the CPU

}  // namespace compeer::grpo
