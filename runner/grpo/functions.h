#pragma once
#include <ATen/core/Tensor.h>

namespace compeer::grpo {

/// e^x and log x of each element by the C library, in double, rounded to x's type; e^x is differentiable. libtorch's
/// own functions call MKL, which chooses its code by the processor and is off by the last bit for some numbers. On
/// other devices than the CPU these are libtorch's.
at::Tensor exact_exp(const at::Tensor& x);
at::Tensor exact_log(const at::Tensor& x);

}  // namespace compeer::grpo
