#pragma once
#include <cstdint>

namespace compeer::kernels {

/// Row-wise layers of the exact kernels and their gradients; a row is one token. `x`, `y` and their gradients `dx`,
/// `dy` are [rows, width]. Rows are independent in the forward pass, so a row's bits do not depend on the other rows.
/// Sums along a row are taken in 16 virtual lanes (element i in lane i mod 16), then by a fixed tree. All are
/// multi-threaded.

/// RMS norm: y = x / sqrt(mean(x^2) + epsilon) * weight, row by row, with weight [width]. Writes 1 / sqrt(...) to
/// `inverse` [rows] for the backward pass.
void rms_norm(const float* x, const float* weight, int64_t rows, int64_t width, float epsilon, float* y,
              float* inverse);

/// Computes the gradients of rms_norm from the gradient `dy` of y, its arguments and `inverse`. Writes to dx the
/// gradient of x plus `around` [rows, width] (null: zero), the gradient of a residual connection around the norm. Adds
/// the gradient of the weight to `dw` [width] (null: not needed), row by row in order.
void rms_norm_backward(const float* dy, const float* x, const float* weight, const float* inverse, int64_t rows,
                       int64_t width, const float* around, float* dx, float* dw);

/// Adds the rows of x to `sum` [width], in order: the gradient of a bias.
void add_columns(const float* x, int64_t rows, int64_t width, float* sum);

/// y = silu(gate) * up with silu(g) = g / (1 + exp(-g)), for `count` elements.
void swiglu(const float* gate, const float* up, int64_t count, float* y);
/// Writes the gradients of gate and up, given that of y, and recomputes y unless it is null. y may be dy.
void swiglu_backward(const float* dy, const float* gate, const float* up, int64_t count, float* dgate, float* dup,
                     float* y);

/// Rotary positions (RoPE): in each head of size d = `dim`, rotates (x[i], x[i + d/2]) by the angle position *
/// theta^(-2i/d). `cosine` and `sine` [rows, d/2] are those of the angles. x and y are [rows, heads * dim]. `direction`
/// is 1, or -1 for the gradient (the inverse rotation). y may be x.
void rotate(const float* x, const float* cosine, const float* sine, int64_t rows, int64_t heads, int64_t dim,
            float direction, float* y);

}  // namespace compeer::kernels
