// Row-wise layers, vectorized for each instruction set and divided among threads.
#include "kernels/rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/workers.h"

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

// With h = x * inverse and g = dy * weight: dx = inverse * (g - h * mean(g * h)) (+ around).
void rms_norm_backward_rows(const float* dy, const float* x, const float* weight, const float* inverse, int64_t rows,
                            int64_t width, const float* around, float* dx) {
  const Tag tag;
  for (int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    const Vector scale = hn::Set(tag, inverse[r]);
    each(width, [&](int64_t i, size_t n) { store(hn::Mul(load(dy + i, n), load(weight + i, n)), dx + i, n); });
    const Vector mean = hn::Set(tag, lane_dot(dx, x, width) * inverse[r] / static_cast<float>(width));
    const float* add = around ? around + r * width : nullptr;
    each(width, [&](int64_t i, size_t n) {
      const Vector own = hn::NegMulAdd(hn::Mul(load(x + i, n), scale), mean, load(dx + i, n));
      store(add ? hn::MulAdd(scale, own, load(add + i, n)) : hn::Mul(scale, own), dx + i, n);
    });
  }
}

// dw[from, to) += dy * h, row by row in order.
void rms_norm_backward_weight(const float* dy, const float* x, const float* inverse, int64_t rows, int64_t width,
                              int64_t from, int64_t to, float* dw) {
  const Tag tag;
  each(to - from, [&](int64_t i, size_t n) {
    Vector sum = load(dw + from + i, n);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = r * width + from + i;
      sum = hn::MulAdd(load(dy + at, n), hn::Mul(load(x + at, n), hn::Set(tag, inverse[r])), sum);
    }
    store(sum, dw + from + i, n);
  });
}

void add_columns(const float* x, int64_t rows, int64_t width, int64_t from, int64_t to, float* sum) {
  each(to - from, [&](int64_t i, size_t n) {
    Vector total = load(sum + from + i, n);
    for (int64_t r = 0; r < rows; ++r) total = hn::Add(total, load(x + r * width + from + i, n));
    store(total, sum + from + i, n);
  });
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
void swiglu_backward(const float* dy, const float* gate, const float* up, int64_t count, float* dgate, float* dup,
                     float* y) {
  const Vector one = hn::Set(Tag(), 1.0f);
  each(count, [&](int64_t i, size_t n) {
    const Vector g = load(gate + i, n), u = load(up + i, n), d = load(dy + i, n), s = sigmoid(g);
    const Vector slope = hn::Mul(s, hn::MulAdd(g, hn::Sub(one, s), one)), silu = hn::Mul(g, s);
    store(hn::Mul(hn::Mul(d, u), slope), dgate + i, n);
    store(hn::Mul(d, silu), dup + i, n);
    if (y) store(hn::Mul(silu, u), y + i, n);
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
HWY_EXPORT(rms_norm_backward_rows);
HWY_EXPORT(rms_norm_backward_weight);
HWY_EXPORT(add_columns);
HWY_EXPORT(swiglu);
HWY_EXPORT(swiglu_backward);
HWY_EXPORT(rotate);

namespace {

// Calls work(from, to) for parts of [0, count) of about 16 Ki floats, on all threads. `floats_each`: floats per item.
template <class Work>
void in_parts(int64_t count, int64_t floats_each, Work work) {
  const int64_t part = std::max<int64_t>(1, (int64_t{1} << 14) / floats_each);
  parallel_for((count + part - 1) / part, [&](int64_t i) { work(i * part, std::min(count, (i + 1) * part)); });
}

// Calls work(from, to) for strips of columns, on all threads.
template <class Work>
void in_strips(int64_t width, Work work) {
  constexpr int64_t strip = 64;
  parallel_for((width + strip - 1) / strip, [&](int64_t i) { work(i * strip, std::min(width, (i + 1) * strip)); });
}

}  // namespace

void rms_norm(const float* x, const float* weight, int64_t rows, int64_t width, float epsilon, float* y,
              float* inverse) {
  in_parts(rows, width, [=](int64_t from, int64_t to) {
    HWY_DYNAMIC_DISPATCH(rms_norm)
    (x + from * width, weight, to - from, width, epsilon, y + from * width, inverse + from);
  });
}

void rms_norm_backward(const float* dy, const float* x, const float* weight, const float* inverse, int64_t rows,
                       int64_t width, const float* around, float* dx, float* dw) {
  in_parts(rows, width, [=](int64_t from, int64_t to) {
    const int64_t at = from * width;
    HWY_DYNAMIC_DISPATCH(rms_norm_backward_rows)
    (dy + at, x + at, weight, inverse + from, to - from, width, around ? around + at : nullptr, dx + at);
  });
  if (!dw) return;
  in_strips(width, [=](int64_t from, int64_t to) {
    HWY_DYNAMIC_DISPATCH(rms_norm_backward_weight)(dy, x, inverse, rows, width, from, to, dw);
  });
}

void add_columns(const float* x, int64_t rows, int64_t width, float* sum) {
  in_strips(width, [=](int64_t from, int64_t to) { HWY_DYNAMIC_DISPATCH(add_columns)(x, rows, width, from, to, sum); });
}

void swiglu(const float* gate, const float* up, int64_t count, float* y) {
  in_parts(count, 1, [=](int64_t from, int64_t to) {
    HWY_DYNAMIC_DISPATCH(swiglu)(gate + from, up + from, to - from, y + from);
  });
}

void swiglu_backward(const float* dy, const float* gate, const float* up, int64_t count, float* dgate, float* dup,
                     float* y) {
  in_parts(count, 1, [=](int64_t from, int64_t to) {
    HWY_DYNAMIC_DISPATCH(swiglu_backward)
    (dy + from, gate + from, up + from, to - from, dgate + from, dup + from, y ? y + from : nullptr);
  });
}

void rotate(const float* x, const float* cosine, const float* sine, int64_t rows, int64_t heads, int64_t dim,
            float direction, float* y) {
  in_parts(rows, heads * dim, [=](int64_t from, int64_t to) {
    const int64_t at = from * heads * dim, angle = from * (dim / 2);
    HWY_DYNAMIC_DISPATCH(rotate)(x + at, cosine + angle, sine + angle, to - from, heads, dim, direction, y + at);
  });
}

}  // namespace compeer::kernels
#endif
