#pragma once
#include <gtest/gtest.h>
#include <omp.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/gemm.h"
#include "kernels/instruction_set.h"

namespace compeer::kernels {

// Returns normally distributed numbers; each `stream` has others.
inline std::vector<float> draws(size_t count, uint32_t stream) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(normal(7, Stream::weights, stream, static_cast<uint32_t>(i)));
  return values;
}

inline bool same_bits(const float* a, const float* b, size_t count) {
  return std::memcmp(a, b, count * sizeof(float)) == 0;
}

// Runs the check for each instruction set of this machine, with one thread and with two.
template <class Check>
void everywhere(Check check) {
  for (const auto& set : instruction_sets()) {
    ASSERT_TRUE(use_instruction_set(set));
    for (int threads : {1, 2}) {
      omp_set_num_threads(threads);
      SCOPED_TRACE(set + ", threads: " + std::to_string(threads));
      check();
    }
  }
  omp_set_num_threads(1);
  use_instruction_set("");
}

// Sizes of B: k rows, n columns.
struct Case {
  int64_t k, n;
};
inline constexpr Case sizes[] = {{1, 1}, {5, 17}, {64, 48}, {96, 384}, {256, 33}, {300, 129}, {1000, 80}};

// Fixture for products of matrices: A (row_count x k), B (k x n), both of normally distributed numbers, and a bias (n).
class Products : public testing::TestWithParam<Case> {
 protected:
  static constexpr int64_t row_count = 64;
  int64_t k = GetParam().k, n = GetParam().n;
  // A by rows, and B by columns.
  std::vector<float> x = draws(static_cast<size_t>(row_count * k), 1), w = draws(static_cast<size_t>(n * k), 2);
  std::vector<float> bias = draws(static_cast<size_t>(n), 3);
  // B in the layout of `multiply`.
  Packed packed{{w.data(), 1, k}, k, n};

  // Returns the product of the first `rows` rows of A with B, plus the bias: [row][column].
  std::vector<float> product(int64_t rows) {
    std::vector<float> y(static_cast<size_t>(rows * n));
    multiply({x.data(), k, 1}, rows, packed, bias.data(), y.data(), n, Write::replace);
    return y;
  }
};

}  // namespace compeer::kernels
