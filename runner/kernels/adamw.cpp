// One step of AdamW, vectorized and multi-threaded.
#include "kernels/adamw.h"

#include <algorithm>
#include <cmath>

#include "kernels/workers.h"

#ifndef COMPEER_KERNELS_ADAMW_FACTORS
#define COMPEER_KERNELS_ADAMW_FACTORS
namespace compeer::kernels {
// The constants of a step, computed in float64: b1, b2 = beta1, beta2; a1, a2 = 1 - b1, 1 - b2; rate = lr / (1 - b1^t);
// root = 1 / sqrt(1 - b2^t); keep = 1 - lr * weight_decay; `scale` as in adamw_step.
struct Factors {
  float b1, b2, a1, a2, rate, root, keep, epsilon, scale;
};
}  // namespace compeer::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/adamw.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

void adamw(const Factors& f, const float* gradient, int64_t count, float* weight, float* m, float* v) {
  const Tag tag;
  const auto set = [&](float x) { return hn::Set(tag, x); };
  const Vector b1 = set(f.b1), b2 = set(f.b2), a1 = set(f.a1), a2 = set(f.a2), rate = set(f.rate), root = set(f.root),
               keep = set(f.keep), epsilon = set(f.epsilon), scale = set(f.scale);
  each(count, [&](int64_t i, size_t n) {
    const Vector g = hn::Mul(load(gradient + i, n), scale);
    const Vector mean = hn::MulAdd(b1, load(m + i, n), hn::Mul(a1, g));
    const Vector square = hn::MulAdd(b2, load(v + i, n), hn::Mul(a2, hn::Mul(g, g)));
    const Vector step = hn::Div(hn::Mul(rate, mean), hn::MulAdd(hn::Sqrt(square), root, epsilon));
    store(mean, m + i, n);
    store(square, v + i, n);
    store(hn::Sub(hn::Mul(keep, load(weight + i, n)), step), weight + i, n);
  });
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(adamw);

void adamw_step(const AdamW& settings, int64_t step, const float* gradient, float scale, int64_t count, float* weight,
                float* m, float* v) {
  const auto t = static_cast<double>(step);
  const auto as_float = [](double x) { return static_cast<float>(x); };
  const Factors factors{as_float(settings.beta1),
                        as_float(settings.beta2),
                        as_float(1.0 - settings.beta1),
                        as_float(1.0 - settings.beta2),
                        as_float(settings.lr / (1.0 - std::pow(settings.beta1, t))),
                        as_float(1.0 / std::sqrt(1.0 - std::pow(settings.beta2, t))),
                        as_float(1.0 - settings.lr * settings.weight_decay),
                        as_float(settings.epsilon),
                        scale};
  constexpr int64_t part_length = int64_t{1} << 14;
  parallel_for((count + part_length - 1) / part_length, [&](int64_t i) {
    const int64_t from = i * part_length, n = std::min(part_length, count - from);
    HWY_DYNAMIC_DISPATCH(adamw)(factors, gradient + from, n, weight + from, m + from, v + from);
  });
}

}  // namespace compeer::kernels
#endif
