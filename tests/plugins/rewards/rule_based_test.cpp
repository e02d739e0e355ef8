#include "built.h"

namespace compeer {
namespace {

std::vector<double> format_scores(const std::string& text, bool finished = true,
                                  const nlohmann::json& settings = nlohmann::json::object()) {
  auto plugin = built::open<Reward>("format", settings);
  const std::vector<Completion> one{{text, 9, finished}};
  return built::values(plugin::score(plugin, {Example(), one}, plugin::columns(plugin)));
}

const std::string steps = "<history>a</history><emotion>b</emotion><strategy>c</strategy>\n";

TEST(Format, RewardsThreeStepsAndAReply) {
  EXPECT_EQ(format_scores(steps + "I hear you."), (std::vector<double>{1, 1, 3}));
}

TEST(Format, RefusesWhatIsMissingOutOfOrderOrEmpty) {
  EXPECT_EQ(format_scores("I hear you."), (std::vector<double>{-1, 0, 0}));
  EXPECT_EQ(format_scores(steps), (std::vector<double>{-1, 0, 3})) << "no reply";
  EXPECT_EQ(format_scores("<history>a</history><strategy>c</strategy>\nI hear you."), (std::vector<double>{-1, 0, 2}));
  EXPECT_EQ(format_scores("<emotion>b</emotion><history>a</history><strategy>c</strategy>\nI hear you."),
            (std::vector<double>{-1, 0, 3}));
}

TEST(Format, RefusesACompletionThatWasCutOff) {
  EXPECT_EQ(format_scores(steps + "I hear", false), (std::vector<double>{-1, 0, 3}));
}

TEST(Format, TakesBothRewardsFromItsSettings) {
  const nlohmann::json settings{{"complete", 0.5}, {"broken", -5.0}};
  EXPECT_EQ(format_scores(steps + "Yes.", true, settings)[0], 0.5);
  EXPECT_EQ(format_scores("Yes.", true, settings)[0], -5.0);
}

TEST(Format, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("format");
  built::keeps_contract(plugin);
}

using nlohmann::json;

std::vector<double> length_scores(const json& settings, const std::vector<Completion>& completions) {
  auto plugin = built::open<Reward>("length", settings);
  return built::values(plugin::score(plugin, {Example(), completions}, plugin::columns(plugin)));
}

TEST(Length, IsOneAtTheTargetAndFallsOnBothSides) {
  const std::vector<Completion> all{{"", 40, true}, {"", 20, true}, {"", 60, true}, {"", 0, true}, {"", 1000, true}};
  EXPECT_EQ(length_scores({{"target", 40.0}}, all), (std::vector<double>{1, 40, 0.5, 20, 0.5, 60, 0, 0, -1, 1000}));
}

TEST(Length, CountsWordsOrCharacters) {
  EXPECT_EQ(length_scores({{"target", 4.0}, {"unit", "words"}}, built::completions({"I hear you.", "我很难过"})),
            (std::vector<double>{0.75, 3, 1, 4}));
  EXPECT_EQ(length_scores({{"target", 8.0}, {"unit", "characters"}}, built::completions({"né我!"})),
            (std::vector<double>{0.5, 4}));
}

TEST(Length, OfTheReplyLeavesOutTheReasoning) {
  const auto all =
      built::completions({"<history>a b</history><emotion>c</emotion><strategy>d</strategy>\nI hear you."});
  EXPECT_EQ(length_scores({{"target", 3.0}, {"unit", "words"}, {"on", "reply"}}, all), (std::vector<double>{1, 3}));
}

TEST(Length, CantCountTheTokensOfTheReplyAlone) {
  try {
    built::open<Reward>("length", {{"on", "reply"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(),
              "only whole completions can be measured in tokens: with on = \"reply\" set unit = \"words\" or "
              "\"characters\"");
  }
}

TEST(Length, KeepsTheContractOfItsKind) {
  for (const std::string unit : {"tokens", "words", "characters"}) {
    auto plugin = built::open<Reward>("length", {{"unit", unit}});
    built::keeps_contract(plugin);
  }
}

const std::string step_limit = "<history>a</history><emotion>b</emotion><strategy>c</strategy>\n";

TEST(Likeness, ComparesRepliesWithTheReferenceAndWithEachOther) {
  auto plugin = built::open<Reward>("likeness");
  Example example;
  example.answer = "<history>x</history><emotion>y</emotion><strategy>z</strategy>\ntell me more";
  const auto all = built::completions({step_limit + "tell me more", "tell me more", step_limit + "never mind"});
  const auto rows = built::values(plugin::score(plugin, {example, all}, plugin::columns(plugin)));
  const std::vector<double> wanted{1, .5, 1, .5, 0, 0};
  ASSERT_EQ(rows.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(rows[i], wanted[i], 1e-6) << i;
}

TEST(Likeness, OfASingleReplyToOthersIsNone) {
  auto plugin = built::open<Reward>("likeness");
  Example example;
  example.answer = "yes";
  EXPECT_EQ(built::values(plugin::score(plugin, {example, built::completions({"no"})}, plugin::columns(plugin))),
            (std::vector<double>{0, 0}));
}

TEST(Likeness, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("likeness");
  built::keeps_contract(plugin);
}

std::vector<double> overlong_scores(const json& settings, const std::vector<int64_t>& lengths) {
  std::vector<Completion> completions;
  for (const int64_t tokens : lengths) completions.push_back({"", tokens, true});
  auto plugin = built::open<Reward>("overlong", settings);
  return built::values(plugin::score(plugin, {Example(), completions}, plugin::columns(plugin)));
}

TEST(Overlong, GrowsOverTheCacheAndStopsAtMinusOne) {
  EXPECT_EQ(overlong_scores({{"max_tokens", 100}, {"cache", 20}}, {50, 80, 90, 100, 110}),
            (std::vector<double>{0, 0, -0.5, -1, -1}));
}

// With weight 0.5 and no floor: rewards 1, .8, .6, .4 become 1, .6, .1, -.6.
TEST(Overlong, GoesOnFallingWithoutALeast) {
  EXPECT_EQ(overlong_scores({{"max_tokens", 25}, {"cache", 5}, {"least", nullptr}}, {10, 22, 25, 30}),
            (std::vector<double>{0, static_cast<double>(-0.4F), -1, -2}));
}

TEST(Overlong, RefusesACacheLargerThanTheWhole) {
  try {
    built::open<Reward>("overlong", {{"max_tokens", 10}, {"cache", 20}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'cache' must not be larger than 'max_tokens'");
  }
}

TEST(Overlong, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("overlong", {{"max_tokens", 64}, {"cache", 16}});
  built::keeps_contract(plugin);
}

std::vector<double> repetition_scores(const json& settings, const std::string& text,
                                      const Example& example = Example()) {
  auto plugin = built::open<Reward>("repetition", settings);
  const auto one = built::completions({text});
  return built::values(plugin::score(plugin, {example, one}, plugin::columns(plugin)));
}

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_FLOAT_EQ(static_cast<float>(got[i]), static_cast<float>(wanted[i]));
}

TEST(Repetition, IsTheShareOfPairsSaidBefore) {
  // Pairs: a b, b a, a b, b a, a b: the last three of five are repeats.
  expect_near(repetition_scores({{"n", 2}}, "a b a b a b"), {-0.6, 0.6, 0.0});
  expect_near(repetition_scores({{"n", 2}}, "a b c d"), {0.0, 0.0, 0.0});
  expect_near(repetition_scores({{"n", 2}}, "5 5 5 5 5"), {-0.75, 0.75, 0.0});
  expect_near(repetition_scores({{"n", 2}}, "1 2 3 1 2 3"), {-0.4, 0.4, 0.0});
  expect_near(repetition_scores({{"n", 3}}, "1 2 3 1 2 3"), {-0.25, 0.25, 0.0});
}

TEST(Repetition, CountsWhatTheAssistantSaidEarlierOnce) {
  const Example later{.id = "x", .history = {{"assistant", "b a"}, {"user", "a b"}}, .answer = "", .record = {}};
  // a b is new; b a is in the history; a b repeats; b a repeats and is in the history; a b repeats: four of five, two
  // of them in the history.
  expect_near(repetition_scores({{"n", 2}}, "a b a b a b", later), {-0.8, 0.6, 0.4});
  expect_near(repetition_scores({{"n", 2}, {"history", false}}, "a b a b a b", later), {-0.6, 0.6, 0.0});
}

TEST(Repetition, OfATextShorterThanARunIsZero) { expect_near(repetition_scores({{"n", 3}}, "a a"), {0.0, 0.0, 0.0}); }

TEST(Repetition, LooksAtTheReplyUnlessToldOtherwise) {
  const std::string text = "<history>a a</history><emotion>b</emotion><strategy>c</strategy>\nd e";
  expect_near(repetition_scores({{"n", 1}}, text), {0.0, 0.0, 0.0});
  EXPECT_LT(repetition_scores({{"n", 1}, {"on", "completion"}}, text)[0], 0.0);
}

TEST(Repetition, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("repetition");
  built::keeps_contract(plugin);
}

}  // namespace
}  // namespace compeer
