#include "train/batch/scoring.h"

#include <gtest/gtest.h>

#include "../small_run.h"
#include "train/step.h"

namespace compeer::train {
namespace {

const SmallRun::Sets learning{{"rewards", nlohmann::json::array({{{"plugin", "learner"}}})}};

nlohmann::json state(RunPlugins& plugins) {
  return plugins.rewards()[0].plugin.call("state", [](const Reward& reward) { return reward.state(); });
}

// Some prompts with three completions each.
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
  teach_rewards(small.world, plugins, batch);
  EXPECT_EQ(state(plugins), 6);
  EXPECT_EQ(scored(plugins, 1).columns.row("rewards/learner/reward", 0)[0], 6.0);
  batch.notes[0].clear();
  teach_rewards(small.world, plugins, batch);
  EXPECT_EQ(state(plugins), 9) << "of a group that is left out there is no note";
}

TEST(RewardStates, ArePartOfACheckpoint) {
  SmallRun first(five_dialogues(), learning), second(five_dialogues(), learning);
  teach_rewards(first.world, *first.run.plugins, scored(*first.run.plugins, 1));
  save_reward_states(first.world, *first.run.plugins, first.folder.path());
  load_reward_states(*second.run.plugins, first.folder.path());
  EXPECT_EQ(state(*second.run.plugins), 3);
}

TEST(RewardStates, AreNoneOfRewardsThatDoNotLearn) {
  SmallRun small(five_dialogues());
  teach_rewards(small.world, *small.run.plugins, scored(*small.run.plugins, 1));
  save_reward_states(small.world, *small.run.plugins, small.folder.path());
  EXPECT_FALSE(std::filesystem::exists(small.folder.path() / "rewards.json"));
}

TEST(RewardStates, AreLearnedOnceAStep) {
  SmallRun small(five_dialogues(), learning);
  const auto step = GrpoStep::open(small.run);
  open_journal(small.run, "grpo", step->columns(), step->values(), 2, step->records());
  MetricRow row(small.run.journal->columns());
  testing::internal::CaptureStderr();
  step->take(1, row);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(state(*small.run.plugins), 4) << "two groups of two";
}

}  // namespace
}  // namespace compeer::train
