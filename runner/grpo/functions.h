#pragma once
#include <ATen/core/Tensor.h>

namespace compeer::grpo {

/// e^x and log x of each element, in double, rounded to x's type; e^x is differentiable. libtorch's own functions call
/// MKL, whose results differ in the last bit between makers of processors; these have the same bits on all. On other
/// devices than the CPU they are libtorch's.
at::Tensor exact_exp(const at::Tensor& x);
at::Tensor exact_log(const at::Tensor& x);

}  // namespace compeer::grpo
