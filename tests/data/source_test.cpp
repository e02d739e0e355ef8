#include "data/source.h"

#include "../plugins/built.h"

namespace compeer::data {
namespace {

TEST(RecordSource, SaysWhichSplitsHaveRecordsWhereThoseAskedForHaveNone) {
  auto world = built::open<Dataset>("esc_world", {{"train", 3}, {"valid", 0}, {"test", 2}});
  EXPECT_EQ(RecordSource(world, {}).size(), 5);
  try {
    RecordSource(world, {"train", "tset"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "datasets/esc_world: has no records in split 'tset'\n"
                 "  help: data.splits names a split; there are 3 in train, 2 in test");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  auto nothing = built::open<Dataset>("esc_world", {{"train", 0}, {"valid", 0}, {"test", 0}});
  try {
    RecordSource(nothing, {"train"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "datasets/esc_world: has no records in split 'train'\n"
                 "  help: data.splits names a split; none has any; is its file missing, or named otherwise?");
  }
}

TEST(RecordSource, ReadsTheFirstRecordsOfEachSplit) {
  auto world = built::open<Dataset>("esc_world", {{"train", 3}, {"valid", 1}, {"test", 4}});
  RecordSource all(world, {}), some(world, {}, 2);
  ASSERT_EQ(some.size(), 5);
  const std::vector<int64_t> places = {0, 1, 3, 4, 5};
  for (int64_t i = 0; i < some.size(); ++i) EXPECT_EQ(some.record(i), all.record(places[static_cast<size_t>(i)])) << i;
}

}  // namespace
}  // namespace compeer::data
