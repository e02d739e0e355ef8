#pragma once
#include <cstdint>

namespace compeer::kernels {

/// Long arrays, by all threads.

void clear(float* x, int64_t count);

/// sum += x, element by element.
void add(float* sum, const float* x, int64_t count);

/// Sum of squares in double precision: blocks of 1024 elements, each in 8 virtual lanes, added in order.
double square_sum(const float* x, int64_t count);

}  // namespace compeer::kernels
