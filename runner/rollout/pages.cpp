#include "rollout/pages.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <cstring>

namespace compeer::rollout {

Pages::Pages(const ModelShape& shape, int64_t count) {
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    cache_.keys.push_back(at::empty({count, shape.kv_heads, shape.head_dim, Cache::page}, at::kFloat));
    cache_.values.push_back(at::empty({count, shape.kv_heads, Cache::page, shape.head_dim}, at::kFloat));
  }
  for (int64_t page = count; page-- > 0;) free_.push_back(static_cast<int32_t>(page));
}

int32_t Pages::take() {
  TORCH_CHECK(!free_.empty(), "the engine ran out of pages it had counted on");
  const int32_t page = free_.back();
  free_.pop_back();
  return page;
}

void Pages::copy(int32_t from, int32_t to) {
  for (auto* tensors : {&cache_.keys, &cache_.values}) {
    for (at::Tensor& tensor : *tensors) {
      const int64_t size = tensor.stride(0);
      auto* data = static_cast<float*>(tensor.data_ptr());
      std::memcpy(data + to * size, data + from * size, static_cast<size_t>(size) * sizeof(float));
    }
  }
}

}  // namespace compeer::rollout
