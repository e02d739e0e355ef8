#pragma once
#include <cstdint>
#include <vector>

namespace compeer::kernels {

/// Long arrays, by all threads.

void clear(float* x, int64_t count);

/// sum += x, element by element.
void add(float* sum, const float* x, int64_t count);

/// Sums of squares in double precision, one for each block of `square_block` elements, in 8 virtual lanes; and these
/// added in order.
constexpr int64_t square_block = 1024;
std::vector<double> square_sums(const float* x, int64_t count);
double square_sum(const float* x, int64_t count);

/// The mean of some rows [count, width], summed in double precision, row after row.
std::vector<float> mean_row(const float* rows, int64_t count, int64_t width);

/// What bfloat16 keeps of numbers: rounded to nearest, ties to even. In place if `to` is `from`.
void round_to_bfloat16(const float* from, int64_t count, float* to);

}  // namespace compeer::kernels
