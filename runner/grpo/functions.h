#pragma once
#include <ATen/core/Tensor.h>

// Functions of tensors with the same bits on every processor, for the loss.

namespace compeer::grpo {

/// Elementwise e^x and log x, for x of any floating type and shape. On the CPU they are computed in double by the C
/// library and rounded to x's type, because libtorch calls MKL: the last bit of its results depends on the processor.
/// On other devices they are libtorch's.
at::Tensor exact_exp(const at::Tensor& x);  ///< differentiable
at::Tensor exact_log(const at::Tensor& x);  ///< on the CPU the result has no gradient

}  // namespace compeer::grpo
