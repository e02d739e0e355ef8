#include <compeer/reward.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

// What it makes of completions of one prompt: of each a reward and a number of questions.
std::vector<float> scores(const std::vector<std::string>& texts, double most) {
  compeer::TestHost host;
  const auto plugin = compeer::open_library<compeer::Reward>(PLUGIN_FILE, {{"most", most}}, host);
  const compeer::Example example;
  std::vector<compeer::Completion> completions;
  for (const auto& text : texts) completions.push_back({.text = text});
  const at::Tensor found = plugin->score({example, completions});
  return {found.const_data_ptr<float>(), found.const_data_ptr<float>() + found.numel()};
}

TEST(MyPlugin, GivesHalfAPointForEachQuestion) {
  EXPECT_EQ(scores({"How are you?", "Fine.", ""}, 1), (std::vector<float>{0.5f, 1, 0, 0, 0, 0}));
}

TEST(MyPlugin, GivesNoMoreThanItsMost) { EXPECT_EQ(scores({"Who? Where? When?"}, 1), (std::vector<float>{1, 3})); }

}  // namespace
