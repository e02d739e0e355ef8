#pragma once
#include <cstdint>

namespace compeer::kernels {

/// What drawing from a row of logits needs, fast at vocabularies of hundreds of thousands. Exponentials are vectorised
/// float32, sums have a fixed order: the same results with any instruction set.

/// The place of the first of the largest; 0 if nothing compares (NaN).
int64_t argmax(const float* x, int64_t count);

/// Appends nothing, overwrites: the places i, in order, with x_i * scale >= least. Returns how many; `places` has room
/// for `count` and 16 more.
int64_t at_least(const float* x, int64_t count, float scale, float least, int32_t* places);

/// The largest x_i of 16 places 512 apart from the next such set: a few candidates that stand for all. Returns how
/// many, (count + 511) / 512 * 16; some may be -infinity.
int64_t lane_maxima(const float* x, int64_t count, float* out);

/// out_i = exp(x_i * scale - top); `out` may be `x`.
void weights(const float* x, int64_t count, float scale, float top, float* out);

/// The sum of weights: runs of 16 in float32 by a fixed tree, the runs in order in double precision.
double total(const float* w, int64_t count);

/// The first i with target < w_0 + ... + w_i, summed as `total` sums; the last place with a weight if there is none.
int64_t pick(const float* w, int64_t count, double target);

}  // namespace compeer::kernels
