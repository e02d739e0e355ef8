#include "built.h"

namespace compeer {

namespace {

using nlohmann::json;

std::vector<double> scores(const json& settings, const std::string& text, const Example& example = Example()) {
  auto plugin = built::open<Reward>("repetition", settings);
  const auto one = built::completions({text});
  return built::values(plugin::score(plugin, {example, one}, plugin::columns(plugin)));
}

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_FLOAT_EQ(static_cast<float>(got[i]), static_cast<float>(wanted[i]));
}

TEST(Repetition, IsTheShareOfPairsSaidBefore) {
  // a b, b a, a b, b a, a b: the last three of five are repeats.
  expect_near(scores({{"n", 2}}, "a b a b a b"), {-0.6, 0.6, 0.0});
  expect_near(scores({{"n", 2}}, "a b c d"), {0.0, 0.0, 0.0});
  expect_near(scores({{"n", 2}}, "5 5 5 5 5"), {-0.75, 0.75, 0.0});
  expect_near(scores({{"n", 2}}, "1 2 3 1 2 3"), {-0.4, 0.4, 0.0});
  expect_near(scores({{"n", 3}}, "1 2 3 1 2 3"), {-0.25, 0.25, 0.0});
}

TEST(Repetition, CountsWhatTheAssistantSaidEarlierOnce) {
  const Example later{.id = "x", .history = {{"assistant", "b a"}, {"user", "a b"}}, .answer = "", .record = {}};
  // a b new; b a old; a b again; b a again and old; a b again: four of five, two of them old.
  expect_near(scores({{"n", 2}}, "a b a b a b", later), {-0.8, 0.6, 0.4});
  expect_near(scores({{"n", 2}, {"history", false}}, "a b a b a b", later), {-0.6, 0.6, 0.0});
}

TEST(Repetition, OfATextShorterThanARunIsZero) { expect_near(scores({{"n", 3}}, "a a"), {0.0, 0.0, 0.0}); }

TEST(Repetition, LooksAtTheReplyUnlessToldOtherwise) {
  const std::string text = "<history>a a</history><emotion>b</emotion><strategy>c</strategy>\nd e";
  expect_near(scores({{"n", 1}}, text), {0.0, 0.0, 0.0});
  EXPECT_LT(scores({{"n", 1}, {"on", "completion"}}, text)[0], 0.0);
}

TEST(Repetition, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("repetition");
  built::keeps_contract(plugin);
}

}  // namespace

}  // namespace compeer
