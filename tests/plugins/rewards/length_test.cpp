#include "built.h"

namespace compeer {

namespace {

using nlohmann::json;

std::vector<double> scores(const json& settings, const std::vector<Completion>& completions) {
  auto plugin = built::open<Reward>("length", settings);
  return built::values(plugin::score(plugin, {Example(), completions}, plugin::columns(plugin)));
}

TEST(Length, IsOneAtTheTargetAndFallsOnBothSides) {
  const std::vector<Completion> all{{"", 40, true}, {"", 20, true}, {"", 60, true}, {"", 0, true}, {"", 1000, true}};
  EXPECT_EQ(scores({{"target", 40.0}}, all), (std::vector<double>{1, 40, 0.5, 20, 0.5, 60, 0, 0, -1, 1000}));
}

TEST(Length, CountsWordsOrCharacters) {
  EXPECT_EQ(scores({{"target", 4.0}, {"unit", "words"}}, built::completions({"I hear you.", "我很难过"})),
            (std::vector<double>{0.75, 3, 1, 4}));
  EXPECT_EQ(scores({{"target", 8.0}, {"unit", "characters"}}, built::completions({"né我!"})),
            (std::vector<double>{0.5, 4}));
}

TEST(Length, OfTheReplyLeavesOutTheReasoning) {
  const auto all =
      built::completions({"<history>a b</history><emotion>c</emotion><strategy>d</strategy>\nI hear you."});
  EXPECT_EQ(scores({{"target", 3.0}, {"unit", "words"}, {"on", "reply"}}, all), (std::vector<double>{1, 3}));
}

TEST(Length, CantCountTheTokensOfTheReplyAlone) {
  try {
    built::open<Reward>("length", {{"on", "reply"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(),
              "tokens are counted for whole completions only: with on = \"reply\" set unit = \"words\" or "
              "\"characters\"");
  }
}

TEST(Length, KeepsTheContractOfItsKind) {
  for (const std::string unit : {"tokens", "words", "characters"}) {
    auto plugin = built::open<Reward>("length", {{"unit", unit}});
    built::keeps_contract(plugin);
  }
}

}  // namespace

}  // namespace compeer
