#pragma once
#include <cstdint>

namespace compeer::kernels {

/// Row-wise layers. Rows are independent in the forward pass, so a row's bits do not depend on the other rows. Sums
/// along a row are taken in 16 virtual lanes (element i in lane i mod 16), then by a fixed tree. All are
/// multi-threaded.

/// y = x / sqrt(mean(x^2) + epsilon) * weight, row by row. Writes 1 / sqrt(...) to `inverse` [rows] for the backward
/// pass.
void rms_norm(const float* x, const float* weight, int64_t rows, int64_t width, float epsilon, float* y,
              float* inverse);

/// Writes dx [rows, width], the gradient plus `around` [rows, width] (or null), the gradient of a residual connection
/// around the norm. Adds the gradient of the weight to `dw` [width] (or null), row by row in order.
void rms_norm_backward(const float* dy, const float* x, const float* weight, const float* inverse, int64_t rows,
                       int64_t width, const float* around, float* dx, float* dw);

/// Adds the rows of x to `sum` [width], in order.
void add_columns(const float* x, int64_t rows, int64_t width, float* sum);

/// y = silu(gate) * up with silu(g) = g / (1 + exp(-g)). The backward function also recomputes y, unless `y` is null; y
/// may be dy.
void swiglu(const float* gate, const float* up, int64_t count, float* y);
void swiglu_backward(const float* dy, const float* gate, const float* up, int64_t count, float* dgate, float* dup,
                     float* y);

/// Rotary positions (RoPE): in each head of size d = `dim`, rotates (x[i], x[i + d/2]) by the angle position *
/// theta^(-2i/d), of which `cosine` and `sine` [rows, d/2] are given. `direction` is 1, or -1 for the gradient. y may
/// be x.
void rotate(const float* x, const float* cosine, const float* sine, int64_t rows, int64_t heads, int64_t dim,
            float direction, float* y);

}  // namespace compeer::kernels
