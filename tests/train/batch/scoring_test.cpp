#include "train/batch/scoring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../small_run.h"
#include "grpo/shaping.h"
#include "train/step.h"

namespace compeer::train {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// A Lua reward with two parts: the number in the completion's text, and twice that number. Abstains for "nil".
nlohmann::json number_reward(const std::string& label, const nlohmann::json& settings = nlohmann::json::object()) {
  nlohmann::json reward{{"plugin", "lua"}, {"label", label}, {"script", R"(return {
    abstains = true, parts = { "value", "twice" },
    score = function(completion)
      if completion.text == "oops" then error("can't read oops") end
      local number = tonumber(completion.text)
      return number, number and 2 * number
    end })"}};
  reward.update(settings);
  return reward;
}

// A Lua reward: the length of the completion in characters.
nlohmann::json length_reward(const std::string& label, double weight) {
  return {{"plugin", "lua"},
          {"label", label},
          {"weight", weight},
          {"script", "return function(completion) return #completion.text end"}};
}

PromptGroup group_of(const std::vector<std::string>& texts) {
  PromptGroup group;
  group.example.id = "a/7";
  for (const auto& text : texts) group.completions.push_back({text, 10, text != "4"});  // "4" is truncated
  return group;
}

// Scores the group as part of a step's batch.
BatchColumns score(RunPlugins& plugins, uint64_t step, const PromptGroup& group) {
  StepBatch batch({group}, std::ssize(group.completions));
  StepScoring scoring(plugins, step, "train");
  scoring.begin(batch.groups[0]);
  scoring.finish(batch, nullptr);
  return batch.columns;
}

class ScoringAGroup : public testing::Test {
 protected:
  RunPlugins& with(const std::vector<nlohmann::json>& rewards, const std::string& reweighting = "none",
                   const std::string& task = "grpo") {
    small.emplace(five_dialogues(),
                  SmallRun::Sets{{"task", task}, {"rewards", rewards}, {"reweighting", {{"plugin", reweighting}}}});
    return *small->run.plugins;
  }
  static void expect_column(const BatchColumns& columns, const std::string& name, const std::vector<double>& expected) {
    const auto values = columns.row(name, 0);
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(values[i])) << name << " " << i;
      } else {
        EXPECT_DOUBLE_EQ(values[i], expected[i]) << name << " " << i;
      }
    }
  }
  std::optional<SmallRun> small;
};

// 2 x 3 + 0.5 x 1 = 6.5, 2 x 12 + 0.5 x 2 = 25.
TEST_F(ScoringAGroup, AddsUpWeightedRewardsAndKeepsEveryPart) {
  auto& plugins = with({number_reward("number", {{"weight", 2.0}}), length_reward("length", 0.5)});
  const auto scores = score(plugins, 3, group_of({"3", "12"}));
  expect_column(scores, "rewards/number/value", {3, 12});
  expect_column(scores, "rewards/number/twice", {6, 24});
  expect_column(scores, "rewards/length/score", {1, 2});
  expect_column(scores, "reward", {6.5, 25});
  EXPECT_EQ(logged_score_columns(plugins),
            (std::vector<std::string>{"reward", "rewards/number/value", "rewards/number/twice", "rewards/length/score",
                                      "reweighted"}));
}

TEST_F(ScoringAGroup, LeavesOutRewardsWithoutAnOpinion) {
  auto& plugins = with({number_reward("number"), length_reward("length", 0.5)});
  expect_column(score(plugins, 3, group_of({"3", "nil"})), "reward", {3.5, 1.5});
  auto& alone = with({number_reward("number")});
  const auto scores = score(alone, 3, group_of({"3", "nil"}));
  expect_column(scores, "reward", {3, none});
  expect_column(scores, "reweighted", {3, none});
  expect_column(scores, "learned", {3, none});
}

TEST_F(ScoringAGroup, DoesNotCountARewardOfWeightZeroUnlessAllAre) {
  auto& plugins = with({number_reward("number", {{"weight", 0.0}}), length_reward("length", 1.0)});
  const auto scores = score(plugins, 3, group_of({"300", "nil"}));
  expect_column(scores, "rewards/number/value", {300, none});
  expect_column(scores, "reward", {3, 3});
  auto& logged = with({number_reward("number", {{"weight", 0.0}})}, "none", "evaluate");  // grpo refuses this
  expect_column(score(logged, 3, group_of({"300", "nil"})), "reward", {0, none});
}

// 12 is cut to the maximum 5; "4" is truncated at the length limit, so its reward is halved. The plugin's own columns
// are unchanged.
TEST_F(ScoringAGroup, ShapesRewardsBeforeTheyAreWeighted) {
  auto& plugins =
      with({number_reward("number", {{"weight", 10.0}, {"floor", 1.0}, {"ceiling", 5.0}, {"truncated_factor", 0.5}})});
  const auto scores = score(plugins, 3, group_of({"12", "-7", "4", "nil"}));
  expect_column(scores, "rewards/number/value", {12, -7, 4, none});
  expect_column(scores, "shaped/number", {5, 1, 2, none});
  expect_column(scores, "reward", {50, 10, 20, none});
  EXPECT_EQ(shaped_columns(plugins), std::vector<std::string>{"shaped/number"});
}

TEST_F(ScoringAGroup, RefusesAnInfiniteSum) {
  auto& plugins = with({number_reward("number", {{"weight", 1e300}})});
  const auto text = complaint([&] { score(plugins, 3, group_of({"1", "1e30"})); });
  EXPECT_EQ(text.find("step 3, record a/7: rewards/lua"), 0u) << text;
  EXPECT_NE(text.find("in score(): returned a reward that, times its weight, makes the sum of rewards infinite for "
                      "completion 1\n  help: lower the weights of the rewards"),
            std::string::npos)
      << text;
  auto& both = with({length_reward("length", 1.0), number_reward("number", {{"weight", 1e300}})});
  EXPECT_EQ(complaint([&] { score(both, 3, group_of({"1", "1e30"})); }), text) << "not the first reward";
}

TEST_F(ScoringAGroup, NamesTheGroupThatARewardFailsFor) {
  auto& plugins = with({number_reward("number")});
  Groups groups{group_of({"1", "2"}), group_of({"1", "oops"})};
  groups[1].example.id = "b/8";
  StepBatch batch(groups, 2);
  const auto text = complaint([&] { StepScoring(plugins, 3, "train").finish(batch, nullptr); });
  EXPECT_EQ(text.find("step 3, record b/8: rewards/lua"), 0u) << text;
  EXPECT_NE(text.find("scoring completion 1"), std::string::npos) << text;
}

TEST_F(ScoringAGroup, LeavesOutTheOneWhoseScoresAreNotFiniteIfItIsToldOfIt) {
  auto& plugins = with({number_reward("number", {{"weight", 1e300}})});
  StepBatch batch({group_of({"1", "2"}), group_of({"1", "1e30"})}, 2);
  std::vector<std::string> told;
  StepScoring(plugins, 3, "train").finish(batch, [&](const PromptGroup&, const auto& error) {
    told.push_back(error.problem());
  });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_DOUBLE_EQ(batch.columns.row("reward", 0)[1], 2e300);
  for (const auto& column : logged_score_columns(plugins)) {
    EXPECT_TRUE(std::isfinite(batch.columns.row(column, 0)[0])) << column;
    EXPECT_TRUE(std::isnan(batch.columns.row(column, 1)[0])) << column;
  }
  EXPECT_EQ(batch.notes[0].size(), 1u);
  EXPECT_TRUE(batch.notes[1].empty());
}

TEST_F(ScoringAGroup, NamesTheCompletionThatARewardFailsFor) {
  auto& plugins = with({number_reward("number")});
  const auto text = complaint([&] { score(plugins, 3, group_of({"1", "2", "oops"})); });
  EXPECT_EQ(text.find("step 3, record a/7"), 0u) << text;
  EXPECT_NE(text.find("completion 2 (the first is 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("can't read oops"), std::string::npos) << text;
}

// With `redundancy` equal texts lower each other's reweighted rewards; completions without a reward are ignored.
TEST_F(ScoringAGroup, ReweightsTheCompletionsThatHaveAReward) {
  auto& plugins = with({number_reward("number")}, "redundancy");
  const auto scores = score(plugins, 3, group_of({"3", "nil", "3"}));
  ASSERT_FALSE(plugins.factors().empty());
  const auto rewards = scores.row("reweighted", 0);
  EXPECT_EQ(rewards[0], rewards[2]);
  EXPECT_LT(rewards[0], 3);
  EXPECT_TRUE(std::isnan(rewards[1]));
  for (const auto& factor : plugins.factors()) {
    EXPECT_TRUE(std::isfinite(scores.row(factor, 0)[0])) << factor;
    EXPECT_TRUE(std::isnan(scores.row(factor, 0)[1])) << factor;
  }
}

const SmallRun::Sets learning{{"rewards", nlohmann::json::array({{{"plugin", "learner"}}})}};

nlohmann::json state(RunPlugins& plugins) {
  return plugins.rewards()[0].plugin.call("state", [](const Reward& reward) { return reward.state(); });
}

// Scores `prompts` groups of three completions each.
StepBatch scored(RunPlugins& plugins, size_t prompts) {
  Groups groups(prompts);
  for (size_t g = 0; g < prompts; ++g) {
    groups[g].index = static_cast<int64_t>(g);
    groups[g].completions.resize(3);
  }
  StepBatch batch(std::move(groups), 3);
  StepScoring(plugins, 1, "train").finish(batch, nullptr);
  return batch;
}

TEST(RewardStates, AreTaughtWhatWasNotedOfAllGroupsOfAStep) {
  SmallRun small(five_dialogues(), learning);
  auto& plugins = *small.run.plugins;
  auto batch = scored(plugins, 2);
  EXPECT_EQ(batch.columns.row("rewards/learner/reward", 1)[0], 0.0);
  update_reward_states(small.world, plugins, batch);
  EXPECT_EQ(state(plugins), 6);
  EXPECT_EQ(scored(plugins, 1).columns.row("rewards/learner/reward", 0)[0], 6.0);
  batch.notes[0].clear();
  update_reward_states(small.world, plugins, batch);
  EXPECT_EQ(state(plugins), 9) << "of a group that is left out there is no note";
}

TEST(RewardStates, ArePartOfACheckpoint) {
  SmallRun first(five_dialogues(), learning), second(five_dialogues(), learning);
  update_reward_states(first.world, *first.run.plugins, scored(*first.run.plugins, 1));
  save_reward_states(first.world, *first.run.plugins, first.folder.path());
  load_reward_states(*second.run.plugins, first.folder.path());
  EXPECT_EQ(state(*second.run.plugins), 3);
}

TEST(RewardStates, AreNoneOfRewardsThatDoNotLearn) {
  SmallRun small(five_dialogues());
  update_reward_states(small.world, *small.run.plugins, scored(*small.run.plugins, 1));
  save_reward_states(small.world, *small.run.plugins, small.folder.path());
  EXPECT_FALSE(std::filesystem::exists(small.folder.path() / "rewards.json"));
}

TEST(RewardStates, AreLearnedOnceAStep) {
  SmallRun small(five_dialogues(), learning);
  const auto step = GrpoStep::open(small.run);
  open_journal(small.run, "grpo", step->columns(), step->values(), 2, step->records());
  MetricRow row(small.run.journal->columns());
  testing::internal::CaptureStderr();
  step->run_step(1, row);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(state(*small.run.plugins), 4) << "two groups of two";
}

}  // namespace
}  // namespace compeer::train
