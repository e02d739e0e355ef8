#include <compeer/reward.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

// Returns the column `name` of the scores of these texts.
std::vector<double> part(const std::string& name, const std::vector<std::string>& texts, double most) {
  compeer::TestHost host;
  const auto plugin = compeer::open_library<compeer::Reward>(PLUGIN_FILE, {{"most", most}}, host);
  return compeer::scores_of(*plugin, texts).at(name);
}

TEST(MyPlugin, GivesHalfAPointForEachQuestion) {
  EXPECT_EQ(part("reward", {"How are you?", "Fine.", ""}, 1), (std::vector<double>{0.5, 0, 0}));
  EXPECT_EQ(part("questions", {"How are you?", "Fine.", ""}, 1), (std::vector<double>{1, 0, 0}));
}

TEST(MyPlugin, GivesNoMoreThanItsMost) { EXPECT_EQ(part("reward", {"Who? Where? When?"}, 1), std::vector<double>{1}); }

}  // namespace
