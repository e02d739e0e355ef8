#include "train/metrics/metric_row.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer::train {
namespace {

TEST(PhaseClock, HasAColumnForEachPhaseAndOneForTheStep) {
  EXPECT_EQ(PhaseClock::columns({"rollout", "train"}),
            (std::vector<std::string>{"seconds/rollout", "seconds/train", "seconds/step"}));
}

TEST(PhaseClock, WritesThePhasesThatRan) {
  const auto columns = PhaseClock::columns({"rollout", "train"});
  MetricRow row(columns);
  PhaseClock clock;
  EXPECT_EQ(clock.time("rollout", [] { return 7; }), 7);
  clock.time("rollout", [] {});
  clock.write(row);
  EXPECT_GE(row.get("seconds/rollout"), 0);
  EXPECT_GE(row.get("seconds/step"), row.get("seconds/rollout"));
  EXPECT_TRUE(std::isnan(row.get("seconds/train")));
}

TEST(PhaseClock, CountsAPhaseThatFails) {
  const auto columns = PhaseClock::columns({"rollout"});
  MetricRow row(columns);
  PhaseClock clock;
  EXPECT_THROW(clock.time("rollout", []() -> int { throw 7; }), int);
  clock.write(row);
  EXPECT_FALSE(std::isnan(row.get("seconds/rollout")));
}

}  // namespace
}  // namespace compeer::train
