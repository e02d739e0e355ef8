#pragma once
#include <cstdint>
#include <vector>

namespace compeer::kernels {

/// Operations on long arrays. Multi-threaded, unless stated otherwise; results do not depend on the number of threads.

/// Sets all elements to zero.
void clear(float* x, int64_t count);

/// sum += x, element by element.
void add(float* sum, const float* x, int64_t count);

/// Number of elements per block of square_sums().
constexpr int64_t square_block = 1024;
/// Returns the sum of squares of each block in float64, summed in 8 virtual lanes.
std::vector<double> square_sums(const float* x, int64_t count);
/// Returns the sum of square_sums(), added in order.
double square_sum(const float* x, int64_t count);

/// Returns the mean over rows [count, width] -> [width], summed in float64, row after row. Single-threaded.
std::vector<float> mean_row(const float* rows, int64_t count, int64_t width);

/// Rounds numbers to bfloat16: to nearest, ties to even; NaN is unchanged. `to` may be `from`.
void round_to_bfloat16(const float* from, int64_t count, float* to);

}  // namespace compeer::kernels
