#include "kernels/arrays.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "kernels/adamw.h"
#include "kernels/instruction_set.h"
#include "kernels/workers.h"

namespace compeer::kernels {
namespace {

TEST(Arrays, AddUpAndClear) {
  std::vector<float> a(200001, 1.5f), b(200001, 2.0f);
  add(a.data(), b.data(), 200001);
  EXPECT_EQ(a, std::vector<float>(200001, 3.5f));
  clear(a.data(), 200000);
  EXPECT_EQ(a.front(), 0.0f);
  EXPECT_EQ(a[199999], 0.0f);
  EXPECT_EQ(a.back(), 3.5f);
}

TEST(Arrays, SumSquares) {
  const std::vector<float> threes(2051, 3.0f);
  EXPECT_EQ(square_sums(threes.data(), 2051), (std::vector<double>{9 * 1024, 9 * 1024, 27}));
  EXPECT_EQ(square_sum(threes.data(), 2051), 9.0 * 2051);
}

// bfloat16 has 8 bits of precision: the next number after 1 is 1 + 1/128; halfway cases round to even.
TEST(Arrays, RoundToBfloat16) {
  std::vector<float> x{1.0f, 1.00390625f, 1.01171875f, 1.005f, -1.01171875f, 3.4e38f, NAN};
  round_to_bfloat16(x.data(), 7, x.data());
  EXPECT_EQ(std::vector<float>(x.begin(), x.begin() + 6),
            (std::vector<float>{1.0f, 1.0f, 1.015625f, 1.0078125f, -1.015625f, INFINITY}));
  EXPECT_TRUE(std::isnan(x[6]));
}

// One element by hand: g = 0.5 * 4 = 2, m = 0.1 * 2 = 0.2, v = 0.01 * 4 = 0.04; both unbiased are 2 and 4, so the step
// is lr * 2 / 2 = 0.1, after the decay 1 - 0.1 * 0.5.
TEST(AdamW, TakesTheFirstStepByHand) {
  float weight = 1, m = 0, v = 0;
  const float gradient = 4;
  adamw_step({0.1, 0.9, 0.99, 0.0, 0.5}, 1, &gradient, 0.5f, 1, &weight, &m, &v);
  EXPECT_NEAR(m, 0.2, 1e-7);
  EXPECT_NEAR(v, 0.04, 1e-7);
  EXPECT_NEAR(weight, 0.95 - 0.1, 1e-6);
}

TEST(AdamW, DoesNotDependOnThreadsOrInstructionSet) {
  const auto run = [] {
    std::vector<float> weight(40001), m(40001), v(40001), gradient(40001);
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] = 0.001f * static_cast<float>(i % 977) - 0.4f;
    for (int64_t t = 1; t <= 3; ++t) adamw_step({}, t, gradient.data(), 0.7f, 40001, weight.data(), m.data(), v.data());
    weight.push_back(static_cast<float>(square_sum(m.data(), 40001)));
    return weight;
  };
  const auto once = run();
  for (const auto& set : instruction_sets()) {
    ASSERT_TRUE(use_instruction_set(set));
    for (const int threads : {1, 2}) {
      omp_set_num_threads(threads);
      EXPECT_EQ(run(), once) << set << ", " << threads << " threads";
    }
  }
  omp_set_num_threads(1);
  use_instruction_set("");
}

class Sharing : public testing::Test {
 protected:
  void SetUp() override { omp_set_num_threads(3); }
  void TearDown() override { omp_set_num_threads(1); }
};

TEST_F(Sharing, DoesEachPartOnce) {
  for (int64_t count : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<size_t>(count));
    parallel_for(count, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& times : done) ASSERT_EQ(times, 1);
  }
}

TEST_F(Sharing, SeesWhatWasWrittenBefore) {
  std::vector<int64_t> values(64);
  for (int64_t turn = 1; turn <= 2000; ++turn) {
    for (int64_t& value : values) value = turn;
    std::atomic<int64_t> total = 0;
    parallel_for(64, [&](int64_t i) { total += values[static_cast<size_t>(i)]; });
    ASSERT_EQ(total, 64 * turn);
  }
}

TEST_F(Sharing, WithinSharedWorkStaysOnItsThread) {
  std::atomic<int> strangers = 0, done = 0;
  parallel_for(50, [&](int64_t) {
    const auto self = std::this_thread::get_id();
    parallel_for(4, [&](int64_t) {
      ++done;
      if (std::this_thread::get_id() != self) ++strangers;
    });
  });
  EXPECT_EQ(done, 200);
  EXPECT_EQ(strangers, 0);
}

TEST_F(Sharing, ServesSeveralThreadsAtOnce) {
  std::atomic<int64_t> total = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      omp_set_num_threads(3);
      for (int turn = 0; turn < 200; ++turn) parallel_for(20, [&](int64_t i) { total += i; });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 200 * 190);
}

}  // namespace
}  // namespace compeer::kernels
