#pragma once
#include <cstdint>

namespace compeer::kernels {

/// Row-wise layers. Rows are independent in every forward pass, so a row's bits do not depend on its company.
/// Sums along a row go over 16 virtual lanes (element i in lane i mod 16), then a fixed tree.

/// y = x / sqrt(mean(x^2) + epsilon) * weight, row by row. inverse [rows] keeps 1 / sqrt(...) for the way back.
void rms_norm(const float* x, const float* weight, int64_t rows, int64_t width, float epsilon, float* y,
              float* inverse);

/// dx [rows, width] is written: the gradient, plus `around` [rows, width], if given, which is what came past the norm.
/// dw [width] (or null) is added to: the sum over the rows, one after another.
void rms_norm_backward(const float* dy, const float* x, const float* weight, const float* inverse, int64_t rows,
                       int64_t width, const float* around, float* dx, float* dw);

/// sum [width] += x's rows, one after another.
void add_columns(const float* x, int64_t rows, int64_t width, float* sum);

/// y = silu(gate) * up with silu(g) = g / (1 + exp(-g)). Backward gives y once more, if asked for; it may take dy's
/// place.
void swiglu(const float* gate, const float* up, int64_t count, float* y);
void swiglu_backward(const float* dy, const float* gate, const float* up, int64_t count, float* dgate, float* dup,
                     float* y);

/// Rotary positions: in each head, (x[i], x[i + d/2]) is turned by the angle position * theta^(-2i/d).
/// cosine and sine [rows, d/2]; `direction` -1 turns back, which is the gradient. y may be x.
void rotate(const float* x, const float* cosine, const float* sine, int64_t rows, int64_t heads, int64_t dim,
            float direction, float* y);

}  // namespace compeer::kernels
