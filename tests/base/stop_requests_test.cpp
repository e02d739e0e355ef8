#include "base/signals.h"

#include <gtest/gtest.h>

namespace compeer {
namespace {

constexpr int64_t ms = 1'000'000;

TEST(StopRequests, CountSignalsThatComeWithinASecondOnce) {
  StopRequests requests;
  EXPECT_EQ(requests.count(), 0);
  EXPECT_EQ(requests.add(0), 1);
  EXPECT_EQ(requests.add(2 * ms), 1);
  EXPECT_EQ(requests.add(999 * ms), 1);
  EXPECT_EQ(requests.add(1000 * ms), 2);
  EXPECT_EQ(requests.add(1500 * ms), 2);
  EXPECT_EQ(requests.add(5000 * ms), 3);
  requests.reset();
  EXPECT_EQ(requests.add(5001 * ms), 1);
}

}  // namespace
}  // namespace compeer
