#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "kernels/instruction_set.h"
#include "kernels/quantized.h"
#include "products.h"

namespace compeer::kernels {
namespace {

// Reference implementation of the contract in gemm.h: chunks of 256 fused multiply-adds, added in order.
float by_hand(const float* x, const float* w, int64_t k, float bias) {
  float total = 0;
  for (int64_t begin = 0; begin < k; begin += 256) {
    float chunk = begin == 0 ? bias : 0.0f;
    for (int64_t i = begin; i < std::min(k, begin + 256); ++i) chunk = std::fma(x[i], w[i], chunk);
    total = begin == 0 ? chunk : total + chunk;
  }
  return total;
}

TEST_P(Products, FollowTheWrittenOrder) {
  const auto y = product(row_count);
  for (int64_t r : {int64_t{0}, int64_t{17}, row_count - 1}) {
    for (int64_t j = 0; j < n; ++j) {
      const float expected =
          by_hand(&x[static_cast<size_t>(r * k)], &w[static_cast<size_t>(j * k)], k, bias[static_cast<size_t>(j)]);
      ASSERT_EQ(y[static_cast<size_t>(r * n + j)], expected) << "row " << r << " column " << j;
    }
  }
}

TEST_P(Products, DoNotDependOnRowsThreadsOrInstructionSet) {
  const auto whole = product(row_count);
  everywhere([&] {
    for (int64_t rows = 1; rows <= row_count; ++rows) {
      const auto y = product(rows);
      ASSERT_TRUE(same_bits(y.data(), whole.data(), y.size())) << rows << " rows";
    }
  });
}

TEST_P(Products, WithBfloat16AreThoseOfTheRoundedWeights) {
  for (float& value : w) value = Bfloat16::nearest(value).widened();
  std::vector<Bfloat16> narrow(w.size());
  std::transform(w.begin(), w.end(), narrow.begin(), Bfloat16::nearest);
  packed.pack(View{w.data(), 1, k}, k, n);
  const auto whole = product(row_count);
  everywhere([&] {
    for (int from = 0; from < 2; ++from) {
      from == 0 ? packed.pack(View{w.data(), 1, k}, k, n, Format::bfloat16)
                : packed.pack(MatrixView<Bfloat16>{narrow.data(), 1, k}, k, n, Format::bfloat16);
      for (int64_t rows = 1; rows <= row_count; ++rows) {
        const auto y = product(rows);
        ASSERT_TRUE(same_bits(y.data(), whole.data(), y.size())) << rows << " rows";
      }
    }
  });
}

// Quantization blocks run along k, a row of w.
TEST_P(Products, WithBlocksAreThoseOfTheFloatsTheyStandFor) {
  const auto given = w;
  for (const Format format : {Format::q8_0, Format::q4_0}) {
    w = given;
    for (int64_t j = 0; j < n; ++j) round_row(&w[static_cast<size_t>(j * k)], k, format);
    packed.pack(View{w.data(), 1, k}, k, n);
    const auto whole = product(row_count);
    packed.pack(View{given.data(), 1, k}, k, n, format);
    everywhere([&] {
      for (int64_t rows = 1; rows <= row_count; ++rows) {
        const auto y = product(rows);
        ASSERT_TRUE(same_bits(y.data(), whole.data(), y.size())) << rows << " rows";
      }
    });
  }
}

// Backward pass of a product: C = A B^T, for all columns of B or a range.
TEST_P(Products, WithATransposeAreThoseOfTheMatrixAsItLies) {
  const auto given = w, left = draws(static_cast<size_t>(row_count * n), 4);
  for (const int64_t first : {int64_t{0}, std::min<int64_t>(n / 32, 1) * 16}) {
    const int64_t count = n - first;
    std::vector<float> whole(static_cast<size_t>(row_count * k)), y(whole.size());
    const View some{left.data() + first, n, 1}, matrix{w.data() + first * k, k, 1};
    for (const Format format : {Format::float32, Format::bfloat16, Format::q8_0, Format::q4_0}) {
      w = given;
      for (int64_t j = 0; j < n; ++j) round_row(&w[static_cast<size_t>(j * k)], k, format);
      multiply(some, row_count, {matrix, count, k}, nullptr, whole.data(), k, Write::replace);
      multiply(some, row_count, {matrix, count, k}, nullptr, whole.data(), k, Write::add);
      packed.pack(View{given.data(), 1, k}, k, n, format);
      everywhere([&] {
        for (int64_t rows : {1, 5, 17, 64}) {
          multiply_by_transpose(some, rows, packed, y.data(), k, Write::replace, first, count);
          multiply_by_transpose(some, rows, packed, y.data(), k, Write::add, first, count);
          ASSERT_TRUE(same_bits(y.data(), whole.data(), static_cast<size_t>(rows * k))) << rows << " rows";
        }
      });
    }
  }
}

// The matrix as stored or transposed, in the forward and the backward product.
TEST_P(Products, WithAMatrixAsItLiesAreThoseOfTheRearrangedOne) {
  const auto size = static_cast<size_t>(row_count * n), back = static_cast<size_t>(row_count * k);
  const auto dy = draws(size, 4);
  std::vector<float> turned(w.size()), y(size), dx(back), all_y(size), all_dx(back);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < n; ++j) turned[static_cast<size_t>(i * n + j)] = w[static_cast<size_t>(j * k + i)];
  }
  for (const Format format : {Format::float32, Format::bfloat16_pairs}) {
    packed.pack(View{w.data(), 1, k}, k, n, format);
    multiply({x.data(), k, 1}, row_count, packed, bias.data(), all_y.data(), n, Write::replace);
    multiply_by_transpose({dy.data(), n, 1}, row_count, packed, all_dx.data(), k, Write::replace);
    for (const View lies : {View{w.data(), 1, k}, View{turned.data(), n, 1}}) {
      const RightMatrix matrix(lies, k, n, format);
      everywhere([&] {
        for (int64_t rows : {1, 5, 17, 64}) {
          multiply({x.data(), k, 1}, rows, matrix, bias.data(), y.data(), n, Write::replace);
          ASSERT_TRUE(same_bits(y.data(), all_y.data(), static_cast<size_t>(rows * n))) << rows << " rows";
          multiply_by_transpose({dy.data(), n, 1}, rows, matrix, dx.data(), k, Write::replace);
          ASSERT_TRUE(same_bits(dx.data(), all_dx.data(), static_cast<size_t>(rows * k))) << rows << " rows back";
        }
      });
    }
  }
}

TEST_P(Products, WithATransposedFactorAreThoseOfItsCopy) {
  std::vector<float> left(x.size()), whole(static_cast<size_t>(row_count * n)), y(whole.size());
  for (int64_t r = 0; r < row_count; ++r) {
    for (int64_t i = 0; i < k; ++i) left[static_cast<size_t>(i * row_count + r)] = x[static_cast<size_t>(r * k + i)];
  }
  multiply({x.data(), k, 1}, row_count, packed, nullptr, whole.data(), n, Write::replace);
  everywhere([&] {
    for (int64_t rows : {1, 5, 17, 64}) {
      multiply({left.data(), 1, row_count}, rows, packed, nullptr, y.data(), n, Write::replace);
      ASSERT_TRUE(same_bits(y.data(), whole.data(), static_cast<size_t>(rows * n))) << rows << " rows";
    }
  });
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
    const RightMatrix lies({w.data(), 1, k}, k, n);
    multiply({x.data(), k, 1}, 7, first % 64 == 0 ? packed : lies, bias.data(), tile.data(), 32, Write::replace, first,
             columns);
    for (int64_t r = 0; r < 7; ++r)
      ASSERT_TRUE(same_bits(&tile[static_cast<size_t>(r * 32)], &whole[static_cast<size_t>(r * n + first)],
                            static_cast<size_t>(columns)));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Products, testing::ValuesIn(sizes));

// More rows and columns than one tile, and a last panel that is not full.
class LargeProducts : public testing::TestWithParam<Format> {};

TEST_P(LargeProducts, HaveTheRowsOfSmallOnes) {
  constexpr int64_t rows = 900, k = 600, n = 1000;
  const auto x = draws(rows * k, 1), w = draws(n * k, 2), bias = draws(n, 3);
  Packed packed;
  packed.pack(View{w.data(), 1, k}, k, n, GetParam());
  std::vector<float> few(13 * n), y(rows * n);
  everywhere([&] {
    multiply({x.data(), k, 1}, rows, packed, bias.data(), y.data(), n, Write::replace);
    for (int64_t first : {0, 380, 887}) {
      multiply({x.data() + first * k, k, 1}, 13, packed, bias.data(), few.data(), n, Write::replace);
      ASSERT_TRUE(same_bits(few.data(), y.data() + first * n, few.size())) << "from row " << first;
    }
    if (GetParam() != Format::float32 && GetParam() != Format::bfloat16_pairs) return;
    std::vector<float> passing(rows * n);
    multiply({x.data(), k, 1}, rows, {View{w.data(), 1, k}, k, n, GetParam()}, bias.data(), passing.data(), n,
             Write::replace);
    ASSERT_TRUE(same_bits(passing.data(), y.data(), y.size())) << "as it lies";
  });
}

TEST_P(LargeProducts, HaveTheRowsOfSmallOnesForAnyNumberOfRows) {
  constexpr int64_t rows = 40, k = 70, n = 1000;
  const auto x = draws(rows * k, 1), w = draws(n * k, 2);
  std::vector<float> turned(x.size()), whole(rows * n), y(whole.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < k; ++i) turned[static_cast<size_t>(i * rows + r)] = x[static_cast<size_t>(r * k + i)];
  }
  Packed packed;
  packed.pack(View{w.data(), 1, k}, k, n, GetParam());
  multiply({x.data(), k, 1}, rows, packed, nullptr, whole.data(), n, Write::replace);
  everywhere([&] {
    for (int64_t few : {1, 2, 6, 7, 12, 13, 16, 17, 28, 32, 33, 40}) {
      const auto count = static_cast<size_t>(few * n);
      multiply({x.data(), k, 1}, few, packed, nullptr, y.data(), n, Write::replace);
      ASSERT_TRUE(same_bits(y.data(), whole.data(), count)) << few << " rows";
      multiply({turned.data(), 1, rows}, few, packed, nullptr, y.data(), n, Write::replace);
      ASSERT_TRUE(same_bits(y.data(), whole.data(), count)) << few << " columns";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, LargeProducts,
                         testing::Values(Format::float32, Format::bfloat16, Format::q8_0, Format::q4_0,
                                         Format::bfloat16_pairs));

// The gradient of a weight, dY^T X: one chain of additions over the rows of all batches, starting from the previous
// value.
TEST(WeightGradient, MayBeTakenInAnyParts) {
  constexpr int64_t rows = 700, out = 450, in = 410;
  const auto dy = draws(rows * out, 1), x = draws(rows * in, 2), start = draws(out * in, 3);
  const auto go_on = [&](int64_t from, int64_t to, std::vector<float>& dw) {
    multiply({dy.data() + from * out, 1, out}, out, {View{x.data() + from * in, in, 1}, to - from, in}, nullptr,
             dw.data(), in, Write::continue_chain);
  };
  auto whole = start;
  go_on(0, rows, whole);
  for (const int64_t j : {int64_t{0}, in - 1}) {
    float chain = start[static_cast<size_t>(7 * in + j)];
    for (int64_t r = 0; r < rows; ++r)
      chain = std::fma(dy[static_cast<size_t>(r * out + 7)], x[static_cast<size_t>(r * in + j)], chain);
    EXPECT_EQ(whole[static_cast<size_t>(7 * in + j)], chain);
  }
  everywhere([&] {
    auto parts = start;
    go_on(0, 3, parts), go_on(3, 260, parts), go_on(260, 261, parts), go_on(261, rows, parts);
    ASSERT_TRUE(same_bits(parts.data(), whole.data(), whole.size()));
  });
}

// Products of bfloat16 pairs, as computed by the processor's vdpbf16ps instruction.

class PairProducts : public Products {};

// Reference implementation for bfloat16 pairs, for a row padded to an even length.
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

// Equal, or both NaN with any payload.
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

// Values that round to zero, to infinity and to the smallest normal number, and sums that are denormal.
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
    for (size_t i = 0; i < x.size(); i += 3) x[i] = special[6 + i % 8];  // rows without infinities, with denormal sums
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

// The gradient of a weight, dY^T X, is one chain over runs of rows; pairs do not cross runs.
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
  EXPECT_EQ(Bfloat16::nearest(1.0f + 1.0f / 256).bits, 0x3f80);   // halfway: down to even
  EXPECT_EQ(Bfloat16::nearest(1.0f + 3.0f / 256).bits, 0x3f82);   // halfway: up to even
  EXPECT_EQ(Bfloat16::nearest(-1.0f - 1.5f / 256).bits, 0xbf81);  // nearer to -1 - 1/128
  EXPECT_EQ(Bfloat16::nearest(3.4e38f).bits, 0x7f80);             // beyond the largest: infinity
  EXPECT_TRUE(std::isnan(Bfloat16::nearest(std::nanf("")).widened()));
}

}  // namespace
}  // namespace compeer::kernels
