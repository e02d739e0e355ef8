#include "rollout/int_tensor.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace compeer::rollout {

namespace {

template <class T>
at::Tensor copied(const std::vector<T>& values) {
  auto tensor = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), static_cast<int64_t*>(tensor.data_ptr()));
  return tensor;
}

}  // namespace

at::Tensor int_tensor(const std::vector<int32_t>& values) { return copied(values); }
at::Tensor int_tensor(const std::vector<int64_t>& values) { return copied(values); }

}  // namespace compeer::rollout
