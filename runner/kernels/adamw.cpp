#include "kernels/adamw.h"

#include <algorithm>
#include <cmath>

namespace compeer::kernels {

void adamw_step(const AdamW& settings, int64_t step, const float* gradient, float scale, int64_t count, float* weight,
                float* m, float* v) {
  const float b1 = static_cast<float>(settings.beta1), b2 = static_cast<float>(settings.beta2);
  const float a1 = static_cast<float>(1.0 - settings.beta1), a2 = static_cast<float>(1.0 - settings.beta2);
  const float rate = static_cast<float>(settings.lr / (1.0 - std::pow(settings.beta1, static_cast<double>(step))));
  const float root = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(settings.beta2, static_cast<double>(step))));
  const float keep = static_cast<float>(1.0 - settings.lr * settings.weight_decay);
  const float epsilon = static_cast<float>(settings.epsilon);
  for (int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * scale;
    m[i] = b1 * m[i] + a1 * g;
    v[i] = b2 * v[i] + a2 * (g * g);
    weight[i] = keep * weight[i] - rate * m[i] / (std::sqrt(v[i]) * root + epsilon);
  }
}

double square_sum(const float* x, int64_t count) {
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += 1024) {
    double block = 0;
    for (int64_t i = begin; i < std::min(count, begin + 1024); ++i) block += static_cast<double>(x[i]) * x[i];
    total += block;
  }
  return total;
}

}  // namespace compeer::kernels
