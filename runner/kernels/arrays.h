#pragma once
#include <cstdint>
#include <vector>

namespace compeer::kernels {

/// Operations on long arrays, such as the gradients of a model. Multi-threaded, unless stated otherwise; results do not
/// depend on the number of threads. `count` is the number of elements.

/// Sets all elements to zero.
void clear(float* x, int64_t count);

/// sum += x, element by element.
void add(float* sum, const float* x, int64_t count);

/// Number of elements per block of square_sums(). Determines the bits of sums.
constexpr int64_t square_block = 1024;
/// Returns the sum of squares of each block of `square_block` elements (the last may be shorter) in float64, summed in
/// 8 virtual lanes: element i in lane i mod 8, then the lanes by a fixed tree.
std::vector<double> square_sums(const float* x, int64_t count);
/// Returns the sum of the squares of all elements: the results of square_sums(), added in order.
double square_sum(const float* x, int64_t count);

/// Returns the mean [width] of `count` rows of `width` elements each, summed in float64, row after row.
/// Single-threaded.
std::vector<float> mean_row(const float* rows, int64_t count, int64_t width);

/// Rounds `from` to numbers that bfloat16 can represent, stored in `to` as float32: to nearest, ties to even; NaN is
/// unchanged. `to` may be `from`.
void round_to_bfloat16(const float* from, int64_t count, float* to);

}  // namespace compeer::kernels
