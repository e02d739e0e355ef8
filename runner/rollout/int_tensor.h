#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace compeer::rollout {

/// int64 [n] of any integers.
at::Tensor int_tensor(const std::vector<int32_t>& values);
at::Tensor int_tensor(const std::vector<int64_t>& values);

}  // namespace compeer::rollout
