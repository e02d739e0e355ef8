#include <compeer/dataset.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

#include <set>

namespace {

class MyPluginTest : public testing::Test {
 protected:
  compeer::TestHost host;
  std::unique_ptr<compeer::Dataset> plugin =
      compeer::open_library<compeer::Dataset>(PLUGIN_FILE, {{"limit", 10}}, host);
};

TEST_F(MyPluginTest, AsksForSums) {
  const auto example = plugin->get("train", 37);
  EXPECT_EQ(example.id, "my_plugin/4+1");
  EXPECT_EQ(example.history.back().text, "4 + 1");
  EXPECT_EQ(example.answer, "5");
  EXPECT_EQ(example.record.at("sum"), 5);
}

TEST_F(MyPluginTest, TestsWhatItDoesNotTeach) {
  std::set<std::string> taught;
  for (int64_t i = 0; i < plugin->size("train"); ++i) taught.insert(plugin->get("train", i).id);
  EXPECT_EQ(taught.size(), 90u);
  for (int64_t i = 0; i < plugin->size("test"); ++i) EXPECT_EQ(taught.count(plugin->get("test", i).id), 0u);
  EXPECT_EQ(plugin->size("valid"), 0);
}

}  // namespace
