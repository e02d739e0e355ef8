#pragma once
#include <cstdint>

namespace compeer::kernels {

/// Kernels for sampling a token from a row of logits, for vocabularies of some 100,000 tokens. `x` are logits and `w`
/// weights (unnormalized probabilities) of `count` tokens. Exponentials are vectorized float32 and sums have a fixed
/// order, so results are bitwise identical for all instruction sets.

/// Returns the index of the first maximum; 0 if there is none (NaN).
int64_t argmax(const float* x, int64_t count);

/// Writes the indices i with x_i * scale >= least to `places`, ascending, and returns their number. `places` must have
/// space for count + 16 elements.
int64_t at_least(const float* x, int64_t count, float scale, float least, int32_t* places);

/// For each block of 512 elements, writes the maxima of its 16 lanes (elements with equal index mod 16) to `out`. The
/// k-th largest of these is a lower bound for the k-th largest element. Returns the number of maxima, (count + 511) /
/// 512 * 16; lanes without an element give -infinity.
int64_t lane_maxima(const float* x, int64_t count, float* out);

/// Computes weights: out_i = exp(x_i * scale - top), where `top` is the largest x_i * scale of the row, or of its part
/// in use. `out` may be `x`.
void weights(const float* x, int64_t count, float scale, float top, float* out);

/// Returns the sum of weights: each run of 16 is summed in float32 by a fixed tree, the runs in order in float64.
double total(const float* w, int64_t count);

/// Inverse transform sampling: returns the first i with target < w_0 + ... + w_i, summed as in `total`; if there is
/// none, the last i with w_i > 0.
int64_t pick(const float* w, int64_t count, double target);

}  // namespace compeer::kernels
