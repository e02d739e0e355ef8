#include <ATen/ops/full.h>
#include <compeer/reweighting.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

// What becomes of a reward of 6 for each text, and how many copies there are.
std::vector<double> reweighted(const std::vector<std::string>& texts, double power) {
  compeer::TestHost host;
  const auto plugin = compeer::open_library<compeer::Reweighting>(PLUGIN_FILE, {{"power", power}}, host);
  const compeer::Example example;
  std::vector<compeer::Completion> completions;
  for (const auto& text : texts) completions.push_back({.text = text});
  const auto found =
      plugin->reweight({example, completions}, at::full({static_cast<int64_t>(texts.size())}, 6, at::kDouble));
  return {found.const_data_ptr<double>(), found.const_data_ptr<double>() + found.numel()};
}

TEST(MyPlugin, DividesARewardAmongCopies) {
  EXPECT_EQ(reweighted({"a", "b", "a"}, 1), (std::vector<double>{3, 2, 6, 1, 3, 2}));
}

TEST(MyPlugin, ChangesNothingWithAPowerOfZero) {
  EXPECT_EQ(reweighted({"a", "a"}, 0), (std::vector<double>{6, 2, 6, 2}));
}

}  // namespace
