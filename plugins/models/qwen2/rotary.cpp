#include "rotary.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

namespace compeer::qwen2 {

void Rotary::grow(int64_t positions) {
  for (int64_t p = static_cast<int64_t>(cosine_.size()) / half_; p < positions; ++p) {
    for (int64_t i = 0; i < half_; ++i) {
      const float exponent = static_cast<float>(2 * i) / static_cast<float>(2 * half_);
      const float frequency = 1.0f / std::pow(static_cast<float>(theta_), exponent);
      const float angle = static_cast<float>(p) * frequency;
      cosine_.push_back(static_cast<float>(std::cos(static_cast<double>(angle))));
      sine_.push_back(static_cast<float>(std::sin(static_cast<double>(angle))));
    }
  }
}

Rotary::Angles Rotary::angles(const std::vector<int64_t>& positions) {
  const auto rows = static_cast<int64_t>(positions.size());
  if (rows > 0) grow(*std::max_element(positions.begin(), positions.end()) + 1);
  Angles result{at::empty({rows, half_}, at::kFloat), at::empty({rows, half_}, at::kFloat)};
  float* cosine = static_cast<float*>(result.cosine.data_ptr());
  float* sine = static_cast<float*>(result.sine.data_ptr());
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t from = positions[static_cast<size_t>(r)] * half_;
    std::copy_n(cosine_.data() + from, half_, cosine + r * half_);
    std::copy_n(sine_.data() + from, half_, sine + r * half_);
  }
  return result;
}

}  // namespace compeer::qwen2
