#include "kernels/workers.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <thread>
#include <vector>

namespace compeer::kernels {
namespace {

class Sharing : public testing::Test {
 protected:
  void SetUp() override { omp_set_num_threads(3); }
  void TearDown() override { omp_set_num_threads(1); }
};

TEST_F(Sharing, DoesEachPartOnce) {
  for (int64_t count : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<size_t>(count));
    share(count, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (const auto& times : done) ASSERT_EQ(times, 1);
  }
}

TEST_F(Sharing, SeesWhatWasWrittenBefore) {
  std::vector<int64_t> values(64);
  for (int64_t turn = 1; turn <= 2000; ++turn) {
    for (int64_t& value : values) value = turn;
    std::atomic<int64_t> total = 0;
    share(64, [&](int64_t i) { total += values[static_cast<size_t>(i)]; });
    ASSERT_EQ(total, 64 * turn);
  }
}

TEST_F(Sharing, WithinSharedWorkStaysOnItsThread) {
  std::atomic<int> strangers = 0, done = 0;
  share(50, [&](int64_t) {
    const auto self = std::this_thread::get_id();
    share(4, [&](int64_t) {
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
      for (int turn = 0; turn < 200; ++turn) share(20, [&](int64_t i) { total += i; });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 200 * 190);
}

}  // namespace
}  // namespace compeer::kernels
