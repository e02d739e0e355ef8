#include <compeer/reweighting.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

// Reweights a reward of 6 for each text.
compeer::Scores reweighted(const std::vector<std::string>& texts, double power) {
  compeer::TestHost host;
  const auto plugin = compeer::open_library<compeer::Reweighting>(PLUGIN_FILE, {{"power", power}}, host);
  const compeer::Example example;
  std::vector<compeer::Completion> completions;
  for (const auto& text : texts) completions.push_back({.text = text});
  return plugin->reweight({example, completions}, std::vector<double>(texts.size(), 6));
}

TEST(MyPlugin, DividesARewardAmongCopies) {
  const auto found = reweighted({"a", "b", "a"}, 1);
  EXPECT_EQ(found.at("reward"), (std::vector<double>{3, 6, 3}));
  EXPECT_EQ(found.at("copies"), (std::vector<double>{2, 1, 2}));
}

TEST(MyPlugin, ChangesNothingWithAPowerOfZero) {
  EXPECT_EQ(reweighted({"a", "a"}, 0).at("reward"), (std::vector<double>{6, 6}));
}

}  // namespace
