// Products of numbers rounded to bfloat16 and taken in pairs, as the processor's own instruction takes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "kernels/gemm.h"
#include "kernels/instruction_set.h"
#include "products.h"

namespace compeer::kernels {
namespace {

class PairProducts : public Products {};

// The contract for bfloat16 pairs written out, of a row whose length was made even.
float in_pairs(const std::vector<float>& x, const std::vector<float>& w, float start) {
  const FlushDenormals flush;
  const auto rounded = [](float value) { return Bfloat16::nearest(value).widened(); };
  float total = 0;
  for (size_t begin = 0; begin < x.size(); begin += 256) {
    float chunk = begin == 0 ? start : 0.0f;
    for (size_t i = begin; i < std::min(x.size(), begin + 256); i += 2) {
      chunk = std::fma(rounded(x[i + 1]), rounded(w[i + 1]), chunk);
      chunk = std::fma(rounded(x[i]), rounded(w[i]), chunk);
    }
    total = begin == 0 ? chunk : total + chunk;
  }
  return total;
}
std::vector<float> even(const float* from, int64_t count, int64_t step = 1) {
  std::vector<float> all(static_cast<size_t>(count + count % 2));
  for (int64_t i = 0; i < count; ++i) all[static_cast<size_t>(i)] = from[i * step];
  return all;
}

// Equal, or both not a number: which one it is, is nobody's business.
void expect_same(float a, float b, const std::string& where) {
  if (std::isnan(a) && std::isnan(b)) return;
  EXPECT_EQ(std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b)) << where << ": " << a << " and " << b;
}

TEST_P(PairProducts, FollowTheWrittenOrder) {
  packed.pack(View{w.data(), 1, k}, k, n, Format::bfloat16_pairs);
  const auto whole = product(row_count);
  for (int64_t r : {int64_t{0}, int64_t{17}, row_count - 1}) {
    for (int64_t j = 0; j < n; ++j) {
      expect_same(whole[static_cast<size_t>(r * n + j)],
                  in_pairs(even(&x[static_cast<size_t>(r * k)], k), even(&w[static_cast<size_t>(j * k)], k),
                           bias[static_cast<size_t>(j)]),
                  "row " + std::to_string(r) + " column " + std::to_string(j));
    }
  }
  everywhere([&] {
    for (int64_t rows = 1; rows <= row_count; ++rows) {
      const auto y = product(rows);
      ASSERT_TRUE(same_bits(y.data(), whole.data(), y.size())) << rows << " rows";
    }
  });
}

// C = A B^T: a chain over the columns of B's rows.
TEST_P(PairProducts, GoBackInPairs) {
  const auto left = draws(static_cast<size_t>(row_count * n), 4);
  packed.pack(View{w.data(), 1, k}, k, n, Format::bfloat16_pairs);
  for (const int64_t first : {int64_t{0}, std::min<int64_t>(n / 32, 1) * 16}) {
    const int64_t count = n - first;
    std::vector<float> whole(static_cast<size_t>(row_count * k)), y(whole.size());
    const View some{left.data() + first, n, 1};
    multiply_by_transpose(some, row_count, packed, whole.data(), k, Write::replace, first, count);
    for (int64_t r : {int64_t{0}, row_count - 1}) {
      for (int64_t i = 0; i < k; ++i) {
        expect_same(whole[static_cast<size_t>(r * k + i)],
                    in_pairs(even(some.data + r * n, count), even(w.data() + first * k + i, count, k), 0),
                    "row " + std::to_string(r) + " column " + std::to_string(i));
      }
    }
    everywhere([&] {
      for (int64_t rows : {1, 5, 17, 64}) {
        multiply_by_transpose(some, rows, packed, y.data(), k, Write::replace, first, count);
        ASSERT_TRUE(same_bits(y.data(), whole.data(), static_cast<size_t>(rows * k))) << rows << " rows";
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PairProducts, testing::ValuesIn(sizes));

// Numbers that round to zero, to infinity, to the smallest normal one; and sums that end below it.
TEST(Pairs, FlushWhatIsNotNormalAndKeepInfinities) {
  constexpr int64_t k = 38, n = 20, rows = 40;
  const float special[] = {1e-39f,    -1e-40f, 1.1754942e-38f, 3.4e38f, -3.4e38f, INFINITY, 1e-20f,
                           -1e-20f,   1.0f,    -1.0f,          0.0f,    -0.0f,    1e-30f,   2e-8f,
                           1.17e-38f, 1.0078f, 1.00390625f,    3e-19f,  -3e-19f,  NAN};
  std::vector<float> x(rows * k), w(n * k), bias(n), y(rows * n);
  const auto pick = [&](std::vector<float>& to, uint32_t stream, uint64_t most) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = special[below(most, 3, Stream::weights, stream, static_cast<uint32_t>(i))];
  };
  for (const uint64_t most : {std::size(special), size_t{5}, size_t{3}, size_t{19}}) {
    pick(x, 1, most), pick(w, 2, most), pick(bias, 3, 3);
    for (size_t i = 0; i < x.size(); i += 3) x[i] = special[6 + i % 8];  // rows without infinities and with sums below
    Packed packed;
    packed.pack(View{w.data(), 1, k}, k, n, Format::bfloat16_pairs);
    everywhere([&] {
      const RightMatrix lies({w.data(), 1, k}, k, n, Format::bfloat16_pairs);
      for (const auto& [count, matrix] : {std::pair{int64_t{3}, RightMatrix(packed)}, {rows, packed}, {rows, lies}}) {
        multiply({x.data(), k, 1}, count, matrix, bias.data(), y.data(), n, Write::replace);
        for (int64_t r = 0; r < count; ++r) {
          for (int64_t j = 0; j < n; ++j) {
            expect_same(y[static_cast<size_t>(r * n + j)],
                        in_pairs(even(&x[static_cast<size_t>(r * k)], k), even(&w[static_cast<size_t>(j * k)], k),
                                 bias[static_cast<size_t>(j)]),
                        "row " + std::to_string(r) + " column " + std::to_string(j));
          }
        }
      }
    });
  }
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0u) << "outside of products, denormal numbers are what they were";
}

// The gradient of a weight, dY^T X, is one chain over runs of rows, each of which has its own pairs.
TEST(PairGradient, MayBeTakenInAnyRuns) {
  constexpr int64_t out = 450, in = 410;
  const std::vector<int64_t> runs{3, 257, 1, 300};
  constexpr int64_t rows = 561;
  const auto dy = draws(rows * out, 1), x = draws(rows * in, 2), start = draws(out * in, 3);
  const auto add = [&](int64_t from, const std::vector<int64_t>& lengths, std::vector<float>& dw) {
    add_pairs({dy.data() + from * out, 1, out}, out, View{x.data() + from * in, in, 1}, RowPairs(lengths), in,
              dw.data(), in);
  };
  auto whole = start;
  add(0, runs, whole);
  const auto rounded = [](float value) { return Bfloat16::nearest(value).widened(); };
  for (const int64_t j : {int64_t{0}, in - 1}) {
    float chain = start[static_cast<size_t>(7 * in + j)];
    int64_t row = 0;
    for (const int64_t length : runs) {
      for (int64_t i = 0; i < length; i += 2) {
        for (const int64_t r : {row + i + 1, row + i}) {
          if (r < row + length)
            chain = std::fma(rounded(dy[static_cast<size_t>(r * out + 7)]), rounded(x[static_cast<size_t>(r * in + j)]),
                             chain);
        }
      }
      row += length;
    }
    EXPECT_EQ(whole[static_cast<size_t>(7 * in + j)], chain);
  }
  everywhere([&] {
    auto parts = start;
    add(0, {3, 257}, parts), add(260, {1}, parts), add(261, {300}, parts);
    ASSERT_TRUE(same_bits(parts.data(), whole.data(), whole.size()));
  });
}

TEST(Bfloat16Numbers, AreTheNearestTiesToEven) {
  EXPECT_EQ(Bfloat16::nearest(1.0f).bits, 0x3f80);
  EXPECT_EQ(Bfloat16::nearest(1.0f + 1.0f / 256).bits, 0x3f80);   // half way: down to even
  EXPECT_EQ(Bfloat16::nearest(1.0f + 3.0f / 256).bits, 0x3f82);   // half way: up to even
  EXPECT_EQ(Bfloat16::nearest(-1.0f - 1.5f / 256).bits, 0xbf81);  // nearer to -1 - 1/128
  EXPECT_EQ(Bfloat16::nearest(3.4e38f).bits, 0x7f80);             // beyond the largest: infinity
  EXPECT_TRUE(std::isnan(Bfloat16::nearest(std::nanf("")).widened()));
}

}  // namespace
}  // namespace compeer::kernels
