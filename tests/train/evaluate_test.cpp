// The evaluation of a small model, in memory.
#include <gtest/gtest.h>

#include "base/files.h"
#include "small_run.h"

namespace compeer::train {
namespace {

SmallRun::Sets evaluate(int64_t prompts, const std::string& script) {
  return {{"task", "evaluate"},
          {"evaluate", {{"prompts", prompts}, {"batch", 2}, {"split", "train"}, {"group_size", 2}}},
          {"rewards", nlohmann::json::array({{{"plugin", "lua"}, {"label", "mine"}, {"script", script}}})}};
}

std::string log_of(SmallRun& small) {
  testing::internal::CaptureStderr();
  run_evaluate(small.run);
  return testing::internal::GetCapturedStderr();
}

TEST(Evaluate, GivesMeansWithIntervalsOverPrompts) {
  SmallRun small(five_dialogues(), evaluate(5, "return function() return 3 end"));
  const auto log = log_of(small);
  EXPECT_EQ(log.find("no opinion"), std::string::npos) << log;
  const auto metrics = nlohmann::json::parse(read_file(small.folder / "summary.json")).at("metrics");
  EXPECT_EQ(metrics.at("reward").at("mean"), 3);
  EXPECT_EQ(metrics.at("reward").at("n"), 5);
  EXPECT_EQ(metrics.at("rewards/mine/score").at("mean"), 3);
  EXPECT_EQ(metrics.at("distinct_1").at("n"), 1);                    // a property of all completions together
  EXPECT_EQ(record::RunReader(small.folder / "run.h5").rows(), 3u);  // batches of 2, 2 and 1
}

TEST(Evaluate, WarnsOfARewardWithoutOpinions) {
  SmallRun small(five_dialogues(),
                 evaluate(2, "return { abstains = true, parts = { 'score' }, score = function() return nil end }"));
  EXPECT_NE(log_of(small).find("compeer: warning: reward 'mine' scored no completion"), std::string::npos);
  const auto metrics = nlohmann::json::parse(read_file(small.folder / "summary.json")).at("metrics");
  EXPECT_EQ(metrics.at("rewards/mine/score"),
            (nlohmann::json{{"mean", nullptr}, {"low", nullptr}, {"high", nullptr}, {"n", 0}}))
      << "scripts and pages must not think that there is no such metric";
}

TEST(Evaluate, RefusesMorePromptsThanThereAre) {
  SmallRun small(five_dialogues(), evaluate(9, "return function() return 3 end"));
  EXPECT_EQ(complaint([&] { run_evaluate(small.run); }), "evaluate.prompts: asks for 9 prompts, split 'train' has 5");
}

}  // namespace
}  // namespace compeer::train
