#include "built.h"

namespace compeer {

namespace {

std::vector<double> scores(const std::string& text, bool finished = true,
                           const nlohmann::json& settings = nlohmann::json::object()) {
  auto plugin = built::open<Reward>("format", settings);
  const std::vector<Completion> one{{text, 9, finished}};
  return built::values(plugin::score(plugin, {Example(), one}, plugin::columns(plugin)));
}

const std::string steps = "<history>a</history><emotion>b</emotion><strategy>c</strategy>\n";

TEST(Format, RewardsThreeStepsAndAReply) { EXPECT_EQ(scores(steps + "I hear you."), (std::vector<double>{1, 1, 3})); }

TEST(Format, RefusesWhatIsMissingOutOfOrderOrEmpty) {
  EXPECT_EQ(scores("I hear you."), (std::vector<double>{-1, 0, 0}));
  EXPECT_EQ(scores(steps), (std::vector<double>{-1, 0, 3})) << "no reply";
  EXPECT_EQ(scores("<history>a</history><strategy>c</strategy>\nI hear you."), (std::vector<double>{-1, 0, 2}));
  EXPECT_EQ(scores("<emotion>b</emotion><history>a</history><strategy>c</strategy>\nI hear you."),
            (std::vector<double>{-1, 0, 3}));
}

TEST(Format, RefusesACompletionThatWasCutOff) {
  EXPECT_EQ(scores(steps + "I hear", false), (std::vector<double>{-1, 0, 3}));
}

TEST(Format, TakesBothRewardsFromItsSettings) {
  const nlohmann::json settings{{"complete", 0.5}, {"broken", -5.0}};
  EXPECT_EQ(scores(steps + "Yes.", true, settings)[0], 0.5);
  EXPECT_EQ(scores("Yes.", true, settings)[0], -5.0);
}

TEST(Format, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Reward>("format");
  built::keeps_contract(plugin);
}

}  // namespace

}  // namespace compeer
