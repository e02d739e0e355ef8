#include <compeer/stage.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;

class MyPluginTest : public testing::Test {
 protected:
  compeer::Outcome made(const json& record) { return plugin->make({record}).at(0); }

  compeer::TestHost host;
  std::unique_ptr<compeer::Stage> plugin = compeer::open_library<compeer::Stage>(PLUGIN_FILE, {{"least", 2}}, host);
};

TEST_F(MyPluginTest, CountsQuestions) {
  const json record = {{"id", "a"}, {"turns", {{{"text", "Why? When?"}}, {{"text", "Where?"}}}}};
  const auto outcome = made(record);
  ASSERT_EQ(outcome.records.size(), 1u);
  EXPECT_EQ(outcome.records[0].at("questions"), 3);
  EXPECT_EQ(outcome.records[0].at("id"), "a");
  EXPECT_EQ(plugin->findings(outcome.counts).at("questions"), 3);
}

TEST_F(MyPluginTest, DropsWhatHasTooFew) {
  for (const json& record : {json{{"id", "a"}}, json{{"id", "b"}, {"turns", {{{"text", "Why?"}}}}}}) {
    EXPECT_TRUE(made(record).records.empty());
    EXPECT_EQ(made(record).dropped, "too few questions");
  }
}

}  // namespace
