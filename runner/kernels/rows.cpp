#include "kernels/rows.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

void rms_norm(const float* x, const float* weight, int64_t rows, int64_t width, float epsilon, float* y,
              float* inverse) {
  for (int64_t r = 0; r < rows; ++r, x += width, y += width) {
    inverse[r] = 1.0f / std::sqrt(lane_dot(x, x, width) / static_cast<float>(width) + epsilon);
    const Vector scale = hn::Set(Tag(), inverse[r]);
    each(width,
         [&](int64_t i, size_t n) { store(hn::Mul(hn::Mul(load(x + i, n), scale), load(weight + i, n)), y + i, n); });
  }
}

// With h = x * inverse and g = dy * weight: dx = inverse * (g - h * mean(g * h)), dw = sum over rows of dy * h.
void rms_norm_backward(const float* dy, const float* x, const float* weight, const float* inverse, int64_t rows,
                       int64_t width, float* dx, float* dw) {
  const Tag tag;
  for (int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    const Vector scale = hn::Set(tag, inverse[r]);
    each(width, [&](int64_t i, size_t n) { store(hn::Mul(load(dy + i, n), load(weight + i, n)), dx + i, n); });
    const float mean = lane_dot(dx, x, width) * inverse[r] / static_cast<float>(width);
    const Vector back = hn::Set(tag, mean);
    each(width, [&](int64_t i, size_t n) {
      const Vector h = hn::Mul(load(x + i, n), scale);
      store(hn::MulAdd(load(dy + i, n), h, load(dw + i, n)), dw + i, n);
      store(hn::Mul(scale, hn::NegMulAdd(h, back, load(dx + i, n))), dx + i, n);
    });
  }
}

HWY_INLINE Vector sigmoid(Vector x) {
  const Vector one = hn::Set(Tag(), 1.0f);
  return hn::Div(one, hn::Add(one, exponential(hn::Neg(x))));
}

void swiglu(const float* gate, const float* up, int64_t count, float* y) {
  each(count, [&](int64_t i, size_t n) {
    const Vector g = load(gate + i, n);
    store(hn::Mul(hn::Mul(g, sigmoid(g)), load(up + i, n)), y + i, n);
  });
}

// silu'(g) = s (1 + g (1 - s)) with s = sigmoid(g).
void swiglu_backward(const float* dy, const float* gate, const float* up, int64_t count, float* dgate, float* dup) {
  const Vector one = hn::Set(Tag(), 1.0f);
  each(count, [&](int64_t i, size_t n) {
    const Vector g = load(gate + i, n), d = load(dy + i, n), s = sigmoid(g);
    const Vector slope = hn::Mul(s, hn::MulAdd(g, hn::Sub(one, s), one));
    store(hn::Mul(hn::Mul(d, load(up + i, n)), slope), dgate + i, n);
    store(hn::Mul(d, hn::Mul(g, s)), dup + i, n);
  });
}

void rotate(const float* x, const float* cosine, const float* sine, int64_t rows, int64_t heads, int64_t dim,
            float direction, float* y) {
  const int64_t half = dim / 2;
  const Vector sign = hn::Set(Tag(), direction);
  for (int64_t r = 0; r < rows; ++r, cosine += half, sine += half) {
    for (int64_t h = 0; h < heads; ++h, x += dim, y += dim) {
      each(half, [&](int64_t i, size_t n) {
        const Vector a = load(x + i, n), b = load(x + half + i, n);
        const Vector c = load(cosine + i, n), s = hn::Mul(sign, load(sine + i, n));
        store(hn::NegMulAdd(b, s, hn::Mul(a, c)), y + i, n);
        store(hn::MulAdd(a, s, hn::Mul(b, c)), y + half + i, n);
      });
    }
  }
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(rms_norm);
HWY_EXPORT(rms_norm_backward);
HWY_EXPORT(swiglu);
HWY_EXPORT(swiglu_backward);
HWY_EXPORT(rotate);

void rms_norm(const float* x, const float* weight, int64_t rows, int64_t width, float epsilon, float* y,
              float* inverse) {
  HWY_DYNAMIC_DISPATCH(rms_norm)(x, weight, rows, width, epsilon, y, inverse);
}

void rms_norm_backward(const float* dy, const float* x, const float* weight, const float* inverse, int64_t rows,
                       int64_t width, float* dx, float* dw) {
  HWY_DYNAMIC_DISPATCH(rms_norm_backward)(dy, x, weight, inverse, rows, width, dx, dw);
}

void swiglu(const float* gate, const float* up, int64_t count, float* y) {
  HWY_DYNAMIC_DISPATCH(swiglu)(gate, up, count, y);
}

void swiglu_backward(const float* dy, const float* gate, const float* up, int64_t count, float* dgate, float* dup) {
  HWY_DYNAMIC_DISPATCH(swiglu_backward)(dy, gate, up, count, dgate, dup);
}

void rotate(const float* x, const float* cosine, const float* sine, int64_t rows, int64_t heads, int64_t dim,
            float direction, float* y) {
  HWY_DYNAMIC_DISPATCH(rotate)(x, cosine, sine, rows, heads, dim, direction, y);
}

}  // namespace compeer::kernels
#endif
