#include "report/comparing/trial_groups.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(TrialGroups, TakeSeedsOfOneModelTogether) {
  const auto runs = sample::study();
  const auto groups = trial_groups(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].heading, "sage");
  EXPECT_EQ(groups[0].columns, (std::vector<std::string>{"mean_emotion", "success", "failure", "rounds"}));
  ASSERT_EQ(groups[0].kinds.size(), 3u);
  EXPECT_EQ(groups[0].kinds[0].name, "sage-sft");
  EXPECT_EQ(groups[0].kinds[2].label, "urp");
  EXPECT_EQ(groups[0].kinds[2].trials.size(), 3u);
  EXPECT_EQ(groups[0].kinds[1].subject, "por");
}

TEST(TrialGroups, CountWhatWasDoneTwiceOnce) {
  auto runs = sample::study();
  runs.push_back(runs[3]);
  runs.back().name = "the-same-again";
  EXPECT_EQ(trial_groups(runs, Lineage(runs))[0].kinds[1].trials.size(), 3u);
  runs.back().stages[1].findings["mean_emotion"] = sample::figure(12, 2);  // other weights in another folder
  EXPECT_EQ(trial_groups(runs, Lineage(runs))[0].kinds[1].trials.size(), 4u);
}

TEST(TrialGroups, LookLikeTheRunThatTaughtTheModel) {
  const auto runs = sample::study();
  const Lineage lineage(runs);
  const auto groups = trial_groups(runs, lineage);
  EXPECT_EQ(groups[0].kinds[1].style, lineage.style(2));  // por-seed_1
}

TEST(TrialGroups, KeepApartWhatWasMeasuredInOtherWays) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 60, 2, 0.1),
                               sample::tested("c", "y", 1, 60, 2, 0.1)};
  runs[1].stages[1].settings["supporter_temperature"] = 1.0;  // who is tested: no matter
  runs[2].stages[1].settings["rounds"] = 20;
  const auto groups = trial_groups(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].kinds.size(), 2u);
  EXPECT_EQ(groups[0].heading, "sage (rounds = none)");
  EXPECT_EQ(groups[1].heading, "sage (rounds = 20)");
}

TEST(TrialGroups, OfRecordsThatAnEarlierTrialPlayedAreOfWhoWasTestedThere) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 60, 2, 0.1),
                               sample::tested("c", "y", 1, 60, 2, 0.1)};
  runs[2].stages[1].settings["rounds"] = 20;  // so other dialogues
  for (auto& run : runs) {
    StageData truth;
    truth.name = "02-world_truth", truth.plugin = "world_truth";
    truth.settings = {{"plugin", "world_truth"}, {"label", nullptr}};
    truth.findings = {{"columns", {"quality"}}, {"quality", sample::figure(0.5, 0.1)}};
    run.stages.push_back(truth);
  }
  const auto groups = trial_groups(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[1].plugin, "world_truth");
  ASSERT_EQ(groups[1].kinds.size(), 2u);
  EXPECT_EQ(groups[1].kinds[1].subject, "results/y/checkpoints/last");
  EXPECT_EQ(groups[3].heading, "world_truth (played.settings.rounds = 20)");
}

TEST(TrialGroups, NameSeveralTrialsOfOneRunByTheirStages) {
  std::vector<RunData> runs = {sample::tested("both", "x", 1, 50, 2, 0.1)};
  auto second = runs[0].stages[1];
  second.name = "02-warm";
  second.settings["label"] = "warm";
  second.settings["supporter_temperature"] = 1.0;
  runs[0].stages.push_back(second);
  const auto groups = trial_groups(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].kinds.size(), 2u);
  EXPECT_EQ(groups[0].kinds[0].name, "both-sage");
  EXPECT_EQ(groups[0].kinds[1].label, "warm");
  EXPECT_NE(groups[0].kinds[0].style, groups[0].kinds[1].style);
}

}  // namespace
}  // namespace compeer::report
