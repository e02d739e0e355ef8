#include "train/batch/records.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace compeer::train {
namespace {

TEST(RecordAt, VisitsEveryRecordOnceAnEpoch) {
  for (const int64_t size : {1, 2, 3, 7, 64, 65, 1000}) {
    for (uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::set<int64_t> seen;
      for (int64_t i = 0; i < size; ++i)
        seen.insert(record_at(5, epoch * static_cast<uint64_t>(size) + static_cast<uint64_t>(i), size));
      EXPECT_EQ(static_cast<int64_t>(seen.size()), size);
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), size - 1);
    }
  }
}

// Three questions about each of four records.
TEST(RecordAt, LeavesNeighboursTogether) {
  for (uint64_t position = 0; position < 24; position += 3) {
    const int64_t first = record_at(5, position, 12, 3);
    EXPECT_EQ(first, 3 * record_at(5, position / 3, 4));
    EXPECT_EQ(record_at(5, position + 1, 12, 3), first + 1);
    EXPECT_EQ(record_at(5, position + 2, 12, 3), first + 2);
  }
}

TEST(RecordAt, OrdersEpochsAndSeedsDifferently) {
  const auto order = [](uint64_t seed, uint64_t epoch) {
    std::vector<int64_t> all;
    for (uint64_t i = 0; i < 100; ++i) all.push_back(record_at(seed, epoch * 100 + i, 100));
    return all;
  };
  EXPECT_NE(order(1, 0), order(1, 1));
  EXPECT_NE(order(1, 0), order(2, 0));
  EXPECT_EQ(order(1, 0), order(1, 0));
}

}  // namespace
}  // namespace compeer::train
