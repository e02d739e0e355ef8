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
  EXPECT_THROW(RecordSource(nothing, {"train"}), Error);
}

}  // namespace
}  // namespace compeer::data
