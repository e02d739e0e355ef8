#include "kernels/gelu.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/workers.h"

namespace compeer::kernels {

at::Tensor gelu(const at::Tensor& x) {
  if (x.requires_grad()) return at::gelu(x);
  auto y = at::empty_like(x);
  const float* in = x.const_data_ptr<float>();
  float* out = y.mutable_data_ptr<float>();
  const int64_t count = x.numel();
  constexpr float kHalfRoot = 1.0f / std::numbers::sqrt2_v<float>;
  constexpr int64_t kShare = 1 << 14;
  share((count + kShare - 1) / kShare, [&](int64_t part) {
    for (int64_t i = part * kShare; i < std::min(count, (part + 1) * kShare); ++i)
      out[i] = in[i] * 0.5f * (1.0f + std::erf(in[i] * kHalfRoot));
  });
  return y;
}

}  // namespace compeer::kernels
