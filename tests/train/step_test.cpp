// Whole steps of a small run, in memory.
#include "train/step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "small_run.h"

namespace compeer::train {
namespace {

nlohmann::json lua(const std::string& script, double weight = 1) {
  return {{"plugin", "lua"}, {"script", script}, {"weight", weight}};
}

const auto by_length = lua("return function(completion) return #completion.text end");

class StepOfASmallRun : public testing::Test {
 protected:
  GrpoStep& with(SmallRun::Sets sets) {
    sets.emplace_back("rewards", nlohmann::json::array({by_length}));
    return opened(sets);
  }
  GrpoStep& opened(const SmallRun::Sets& sets) {
    small.emplace(five_dialogues(), sets);
    step = GrpoStep::open(small->run);
    open_journal(small->run, "grpo", step->columns(), step->values(), 2, step->records());
    return *step;
  }
  MetricRow take(uint64_t t) {
    MetricRow row(small->run.journal->columns());
    testing::internal::CaptureStderr();
    step->take(t, row);
    log = testing::internal::GetCapturedStderr();
    return row;
  }
  std::vector<float> weights() {
    const auto all = step->training().parameters.weights();
    return {all.begin(), all.end()};
  }
  std::optional<SmallRun> small;
  std::unique_ptr<GrpoStep> step;
  std::string log;
};

TEST_F(StepOfASmallRun, MovesTheWeightsAndFillsEveryColumn) {
  with({});
  const auto before = weights();
  const auto row = take(1);
  EXPECT_NE(weights(), before);
  for (const auto& column : step->columns()) EXPECT_FALSE(std::isnan(row.get(column))) << column;
  EXPECT_GT(row.get("grad_norm"), 0);
  EXPECT_EQ(row.get("lr"), 1e-2);
}

// What was recorded when a token was sampled is what the trainer computes.
TEST_F(StepOfASmallRun, HasRatiosOfExactlyOneInItsFirstUpdate) {
  with({});
  EXPECT_EQ(take(1).get("rollout_trainer_max_diff"), 0);
  EXPECT_EQ(take(2).get("ratio_distance"), 0);
  with({{"grpo.updates", 2}});
  const auto row = take(1);
  EXPECT_EQ(row.get("rollout_trainer_max_diff"), 0);
  EXPECT_GT(row.get("ratio_distance"), 0);
}

TEST_F(StepOfASmallRun, HasNoDistanceFromTheReferenceBeforeTheFirstUpdate) {
  with({{"grpo.beta", 0.1}});
  EXPECT_EQ(take(1).get("reference_kl"), 0);
  EXPECT_GT(take(2).get("reference_kl"), 0);
}

TEST_F(StepOfASmallRun, ReplacesGroupsOfEqualRewardsAsOftenAsItMay) {
  opened({{"rewards", nlohmann::json::array({lua("return function() return 1 end")})}, {"grpo.resample", 3}});
  const auto row = take(1);
  EXPECT_EQ(row.get("replaced"), 6);  // both groups, three times
  EXPECT_EQ(row.get("zero_variance"), 1);
  EXPECT_EQ(row.get("advantage_abs"), 0);
  with({{"grpo.resample", 1}, {"grpo.group_size", 4}});
  EXPECT_EQ(take(1).get("replaced"), 0);
}

// A sum of rewards that is infinite: the step is skipped, its groups are recorded without scores.
TEST_F(StepOfASmallRun, LeavesTheWeightsWhereRewardsAreNotFinite) {
  opened(
      {{"rewards", nlohmann::json::array({lua("return function() return 1e30 end", 1e300)})}, {"nonfinite", "skip"}});
  const auto before = weights();
  const auto row = take(1);
  EXPECT_EQ(weights(), before);
  EXPECT_EQ(row.get("left_out"), 1);
  EXPECT_TRUE(std::isnan(row.get("reward")));
  EXPECT_NE(log.find("step 1 is left out: on rank 0 of prompt 0 (record "), std::string::npos) << log;
  EXPECT_NE(log.find("gives an infinite sum of rewards, of completion 0"), std::string::npos) << log;
}

TEST_F(StepOfASmallRun, AdaptsTheEntropyBonusAfterEachStep) {
  with({{"grpo.entropy_target", 100.0}, {"grpo.entropy_step", 0.01}});  // no policy has as much
  EXPECT_EQ(take(1).get("entropy_bonus"), 0);
  EXPECT_EQ(take(2).get("entropy_bonus"), 0.01);
}

TEST_F(StepOfASmallRun, ValidatesOnTheRecordsOfItsSplit) {
  with({{"validation.every", 1}});
  ASSERT_EQ(step->records().size(), 2u);
  EXPECT_EQ(step->records()[1]->counts().at("records"), 1);
  MetricRow row(small->run.journal->columns());
  EXPECT_TRUE(step->validation().run_if_due(1, row));
  EXPECT_FALSE(std::isnan(row.get("validation/reward")));
}

}  // namespace
}  // namespace compeer::train
