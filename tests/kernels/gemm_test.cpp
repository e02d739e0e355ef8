#include "kernels/gemm.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstring>

#include "base/random.h"

namespace compeer::kernels {
namespace {

std::vector<float> draws(size_t count, uint32_t stream) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(normal(7, Stream::weights, stream, static_cast<uint32_t>(i)));
  return values;
}

bool same_bits(const float* a, const float* b, size_t count) { return std::memcmp(a, b, count * sizeof(float)) == 0; }

// The contract of gemm.h written out: chunks of 256 fused multiply-adds, added in order.
float by_hand(const float* x, const float* w, int64_t k, float bias) {
  float total = 0;
  for (int64_t begin = 0; begin < k; begin += 256) {
    float chunk = begin == 0 ? bias : 0.0f;
    for (int64_t i = begin; i < std::min(k, begin + 256); ++i) chunk = std::fma(x[i], w[i], chunk);
    total = begin == 0 ? chunk : total + chunk;
  }
  return total;
}

struct Case {
  int64_t k, n;
};

class Products : public testing::TestWithParam<Case> {
 protected:
  static constexpr int64_t kRows = 64;
  int64_t k = GetParam().k, n = GetParam().n;
  std::vector<float> x = draws(static_cast<size_t>(kRows * k), 1), w = draws(static_cast<size_t>(n * k), 2);
  std::vector<float> bias = draws(static_cast<size_t>(n), 3);
  Packed packed{{w.data(), 1, k}, k, n};

  std::vector<float> product(int64_t rows) {
    std::vector<float> y(static_cast<size_t>(rows * n));
    multiply({x.data(), k, 1}, rows, packed, bias.data(), y.data(), n, Write::replace);
    return y;
  }
};

TEST_P(Products, FollowTheWrittenOrder) {
  const auto y = product(kRows);
  for (int64_t r : {int64_t{0}, int64_t{17}, kRows - 1}) {
    for (int64_t j = 0; j < n; ++j) {
      const float expected =
          by_hand(&x[static_cast<size_t>(r * k)], &w[static_cast<size_t>(j * k)], k, bias[static_cast<size_t>(j)]);
      ASSERT_EQ(y[static_cast<size_t>(r * n + j)], expected) << "row " << r << " column " << j;
    }
  }
}

TEST_P(Products, DoNotDependOnRowsThreadsOrInstructionSet) {
  const auto whole = product(kRows);
  for (const char* set : {"AVX2", "AVX3"}) {
    if (!use_instruction_set(set)) continue;  // the machine lacks it
    for (int threads : {1, 2}) {
      omp_set_num_threads(threads);
      for (int64_t rows = 1; rows <= kRows; ++rows) {
        const auto y = product(rows);
        ASSERT_TRUE(same_bits(y.data(), whole.data(), y.size()))
            << set << ", " << threads << " threads, " << rows << " rows";
      }
    }
  }
  omp_set_num_threads(1);
  use_instruction_set("");
}

TEST_P(Products, AddToWhatIsThere) {
  auto y = product(5);
  const auto once = y;
  multiply({x.data(), k, 1}, 5, packed, nullptr, y.data(), n, Write::add);
  const float expected = [&] {
    float total = once[0];
    for (int64_t begin = 0; begin < k; begin += 256) {
      float chunk = 0;
      for (int64_t i = begin; i < std::min(k, begin + 256); ++i)
        chunk = std::fma(x[static_cast<size_t>(i)], w[static_cast<size_t>(i)], chunk);
      total += chunk;
    }
    return total;
  }();
  EXPECT_EQ(y[0], expected);
}

TEST_P(Products, CanBeTakenInColumnTiles) {
  const auto whole = product(7);
  for (int64_t first = 0; first < n; first += 32) {
    const int64_t columns = std::min<int64_t>(32, n - first);
    std::vector<float> tile(static_cast<size_t>(7 * 32), -1.0f);
    multiply({x.data(), k, 1}, 7, packed, bias.data(), tile.data(), 32, Write::replace, first, columns);
    for (int64_t r = 0; r < 7; ++r)
      ASSERT_TRUE(same_bits(&tile[static_cast<size_t>(r * 32)], &whole[static_cast<size_t>(r * n + first)],
                            static_cast<size_t>(columns)));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Products,
                         testing::Values(Case{1, 1}, Case{5, 17}, Case{64, 48}, Case{96, 384}, Case{256, 33},
                                         Case{300, 129}, Case{1000, 80}));

}  // namespace
}  // namespace compeer::kernels
