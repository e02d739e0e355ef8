#include "kernels/gelu.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/graph.h"
#include "kernels/workers.h"

namespace compeer::kernels {

namespace {

constexpr float kHalfRoot = 1.0f / std::numbers::sqrt2_v<float>;
constexpr float kDensity = std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;  // 1 / sqrt(2 pi)

float twice_below(float x) { return 1.0f + std::erf(x * kHalfRoot); }  // of the normal distribution

// made(i) for every element, shared among threads.
template <class Made>
at::Tensor each(const at::Tensor& like, Made made) {
  auto y = at::empty(like.sizes(), at::kFloat);
  float* out = y.mutable_data_ptr<float>();
  const int64_t count = like.numel();
  constexpr int64_t kShare = 1 << 14;
  share((count + kShare - 1) / kShare, [&](int64_t part) {
    for (int64_t i = part * kShare; i < std::min(count, (part + 1) * kShare); ++i) out[i] = made(i);
  });
  return y;
}

}  // namespace

at::Tensor gelu(const at::Tensor& x) {
  const auto y = each(x, [in = x.const_data_ptr<float>()](int64_t i) { return in[i] * 0.5f * twice_below(in[i]); });
  if (!graph_wanted({x})) return y;
  connect({y}, {x}, [x](const Demand&, const std::vector<at::Tensor>& dy) {
    const float *in = x.const_data_ptr<float>(), *d = dy[0].const_data_ptr<float>();
    return std::vector{each(x, [=](int64_t i) {
      return d[i] * (0.5f * twice_below(in[i]) + in[i] * kDensity * std::exp(-0.5f * in[i] * in[i]));
    })};
  });
  return y;
}

}  // namespace compeer::kernels
