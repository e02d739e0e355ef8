#include "kernels/attention.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/random.h"
#include "kernels/attention_pages.h"
#include "kernels/instruction_set.h"
#include "kernels/packed.h"

namespace compeer::kernels {
namespace {

std::vector<float> draws(int64_t count, uint32_t stream) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(normal(7, Stream::weights, stream, static_cast<uint32_t>(i)));
  return values;
}

// Self-attention of a sequence of 70 rows, with page borders at 16, 32, 48 and 64.
class Attend : public testing::TestWithParam<Heads> {
 protected:
  static constexpr int64_t row_count = 70;
  const Heads heads = GetParam();
  const int64_t width = heads.query_width();
  const std::vector<float> q = draws(row_count * width, 1), k = draws(row_count * heads.key_width(), 2),
                           v = draws(row_count * heads.key_width(), 3), dout = draws(row_count * width, 4);

  void TearDown() override {
    omp_set_num_threads(1);
    use_instruction_set("");
  }

  std::vector<float> rows(const std::vector<Segment>& segments, std::vector<float>* sums = nullptr) const {
    std::vector<float> out(q.size());
    if (sums) sums->resize(static_cast<size_t>(row_count * heads.query * 2));
    attend_contexts(q.data(), k.data(), v.data(), contexts(segments), heads, out.data(), sums ? sums->data() : nullptr);
    return out;
  }
  static std::vector<Segment> alone(int64_t length) { return {{0, length, 0, -1, {}}}; }
  bool same(const std::vector<float>& a, const std::vector<float>& b, int64_t from, int64_t to) const {
    return std::equal(a.begin() + from * width, a.begin() + to * width, b.begin() + from * width);
  }

  struct Back {
    std::vector<float> dq, dk, dv;
    bool operator==(const Back&) const = default;
  };
  Back back() const {
    const std::vector<Segment> tree{{0, 21, 0, -1, {}}, {21, 9, 21, 0, {}}, {30, 40, 21, 0, {}}};
    std::vector<float> sums;
    const auto out = rows(tree, &sums);
    Back all{std::vector<float>(q.size()), std::vector<float>(k.size()), std::vector<float>(v.size())};
    attend_contexts_backward(dout.data(), q.data(), k.data(), v.data(), out.data(), sums.data(), contexts(tree), heads,
                             all.dq.data(), all.dk.data(), all.dv.data());
    return all;
  }
};

TEST_P(Attend, GivesARowTheSameBitsHoweverManyFollow) {
  const auto whole = rows(alone(row_count));
  for (int64_t length = 1; length < row_count; ++length)
    ASSERT_TRUE(same(rows(alone(length)), whole, 0, length)) << length << " rows";
}

TEST_P(Attend, GivesARowTheSameBitsWhereverASegmentBegins) {
  const auto whole = rows(alone(row_count));
  for (int64_t length = 1; length < row_count; ++length) {
    const std::vector<Segment> two{{0, length, 0, -1, {}}, {length, row_count - length, length, 0, {}}};
    ASSERT_TRUE(same(rows(two), whole, 0, row_count)) << "cut at " << length;
  }
}

TEST_P(Attend, DoesNotDependOnThreadsOrInstructionSet) {
  const auto whole = rows(alone(row_count));
  const auto gradients = back();
  for (const auto& set : instruction_sets()) {
    ASSERT_TRUE(use_instruction_set(set));
    for (const int threads : {1, 2}) {
      omp_set_num_threads(threads);
      EXPECT_EQ(rows(alone(row_count)), whole) << set << ", " << threads << " threads";
      EXPECT_TRUE(back() == gradients) << set << ", " << threads << " threads";
    }
  }
}

// Each of these rows continues the first 50 separately: they share three full pages.
TEST_P(Attend, GivesSingleRowsThatSharePagesTheSameBits) {
  if (heads.window > 0) return;
  std::vector<Segment> segments{{0, 50, 0, -1, {}}};
  for (int64_t row = 50; row < row_count; ++row) segments.push_back({row, 1, 50, 0, {}});
  const auto expected = rows(segments);
  const auto all = contexts(segments);
  const ContextPages pages(k.data(), v.data(), all, heads, false);
  for (const auto& set : instruction_sets()) {
    ASSERT_TRUE(use_instruction_set(set));
    for (const int64_t common : {1, 3}) {
      std::vector<float> out(q.size());
      for (int64_t head = 0; head < heads.key; ++head) {
        std::vector<SingleRow> single;
        for (size_t c = 1; c < all.size(); ++c) single.push_back({all[c].query_row, all[c].first, pages.of(c, head)});
        attend_each(q.data(), single, common, heads, head, out.data(), nullptr);
      }
      EXPECT_TRUE(same(out, expected, 50, row_count)) << set << ", " << common << " pages";
    }
  }
}

// Contexts so long that pages are processed in parts: results do not depend on where a row's segment begins.
TEST(LongContext, GivesARowTheSameBitsAsAShortSegmentDoes) {
  for (const bool pairs : {false, true}) {
    const Heads heads{3, 1, 20, 0, pairs};
    constexpr int64_t row_count = 1100, first_index = 1061;
    const auto q = draws(row_count * heads.query_width(), 1), k = draws(row_count * heads.key_width(), 2),
               v = draws(row_count * heads.key_width(), 3);
    const auto attended = [&](const std::vector<Segment>& segments, std::vector<float>& sums) {
      std::vector<float> out(q.size());
      sums.resize(static_cast<size_t>(row_count * heads.query * 2));
      attend_contexts(q.data(), k.data(), v.data(), contexts(segments), heads, out.data(), sums.data());
      return out;
    };
    std::vector<Segment> one_by_one{{0, first_index, 0, -1, {}}};
    for (int64_t row = first_index; row < row_count; ++row)
      one_by_one.push_back({row, 1, row, std::ssize(one_by_one) - 1, {}});
    std::vector<float> expected_sums, sums;
    const auto expected = attended(one_by_one, expected_sums);
    EXPECT_EQ(attended({{0, row_count, 0, -1, {}}}, sums), expected);
    EXPECT_EQ(sums, expected_sums);
    EXPECT_EQ(attended({{0, 1050, 0, -1, {}}, {1050, row_count - 1050, 1050, 0, {}}}, sums), expected);
    EXPECT_EQ(sums, expected_sums);
  }
}

// Compares with the definition in attention.h, in double precision.
TEST_P(Attend, FollowsItsDefinition) {
  const auto whole = rows(alone(row_count));
  const double tolerance = heads.pairs ? 4e-3 : 1e-5;  // in bfloat16, a weight may be rounded the other way
  const auto scale = 1 / std::sqrt(static_cast<float>(heads.dim));
  const auto rounded = [&](float x) { return heads.pairs ? Bfloat16::nearest(x).widened() : x; };
  for (const int64_t row : {int64_t{0}, int64_t{15}, int64_t{16}, row_count - 1}) {
    for (int64_t h = 0; h < heads.query; ++h) {
      const int64_t key = h / heads.queries_per_key() * heads.dim, at = row * width + h * heads.dim;
      std::vector<double> p(static_cast<size_t>(row + 1));
      const int64_t first = heads.window > 0 ? std::max(int64_t{0}, row - heads.window + 1) : 0;
      double sum = 0;
      for (int64_t j = first; j <= row; ++j) {
        double score = 0;
        for (int64_t d = 0; d < heads.dim; ++d)
          score += static_cast<double>(rounded(q[static_cast<size_t>(at + d)] * scale)) *
                   rounded(k[static_cast<size_t>(j * heads.key_width() + key + d)]);
        sum += p[static_cast<size_t>(j)] = std::exp(score);
      }
      for (int64_t d = 0; d < heads.dim; ++d) {
        double out = 0;
        for (int64_t j = 0; j <= row; ++j)
          out += p[static_cast<size_t>(j)] * rounded(v[static_cast<size_t>(j * heads.key_width() + key + d)]) / sum;
        ASSERT_NEAR(whole[static_cast<size_t>(at + d)], out, tolerance) << "row " << row << " head " << h;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Attend,
                         testing::Values(Heads{1, 1, 8}, Heads{4, 2, 32}, Heads{6, 2, 64}, Heads{7, 1, 20},
                                         Heads{3, 3, 80}, Heads{4, 2, 32, 1}, Heads{7, 1, 20, 13}, Heads{3, 3, 8, 16},
                                         Heads{6, 2, 64, 33}, Heads{1, 1, 8, 0, true}, Heads{7, 1, 20, 13, true},
                                         Heads{3, 3, 80, 0, true}, Heads{6, 2, 64, 33, true}));

TEST(Contexts, RefuseASegmentThatDoesNotContinueItsParent) {
  EXPECT_ANY_THROW(contexts(std::vector<Segment>{{0, 5, 0, -1, {}}, {5, 2, 4, 0, {}}}));
}

TEST(TransposePage, TurnsRowsIntoColumnsAndFillsUpWithZeros) {
  for (const int64_t dim : {3, 16, 18}) {
    for (const int64_t count : {1, 4, 7, 16}) {
      const auto data = draws(count * dim, 9);
      const float* in[16];
      for (int64_t i = 0; i < count; ++i) in[i] = data.data() + i * dim;
      std::vector<float> out(static_cast<size_t>(dim * 16), NAN);
      transpose_page(in, count, dim, out.data());
      for (int64_t d = 0; d < dim; ++d) {
        for (int64_t i = 0; i < 16; ++i)
          ASSERT_EQ(out[static_cast<size_t>(d * 16 + i)], i < count ? in[i][d] : 0.0f) << dim << " " << count;
      }
    }
  }
}

}  // namespace
}  // namespace compeer::kernels
