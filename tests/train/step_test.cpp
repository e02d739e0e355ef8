// Whole training steps of a small run, in memory.
#include "train/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "../plugins/chat/server.h"
#include "base/files.h"
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
    step->run_step(t, row);
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

// The log-probabilities recorded at sampling are those that the trainer computes.
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

// An infinite sum of rewards: the step is skipped, and its groups are recorded without scores.
TEST_F(StepOfASmallRun, LeavesTheWeightsWhereRewardsAreNotFinite) {
  opened(
      {{"rewards", nlohmann::json::array({lua("return function() return 1e30 end", 1e300)})}, {"nonfinite", "skip"}});
  const auto before = weights();
  const auto row = take(1);
  EXPECT_EQ(weights(), before);
  EXPECT_EQ(row.get("left_out"), 1);
  EXPECT_TRUE(std::isnan(row.get("reward")));
  EXPECT_NE(log.find("step 1 is left out: on rank 0: prompt 0 (record "), std::string::npos) << log;
  EXPECT_NE(log.find("makes the sum of rewards infinite for completion 0"), std::string::npos) << log;
}

TEST_F(StepOfASmallRun, AdaptsTheEntropyBonusAfterEachStep) {
  with({{"grpo.entropy_target", 100.0}, {"grpo.entropy_step", 0.01}});  // larger than any policy's entropy
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

// Supervised training of a small run, in memory.

SmallRun::Sets sft(SmallRun::Sets more = {}) {
  more.insert(more.begin(), {{"task", "sft"}, {"sft", {{"batch", 2}, {"steps", 6}, {"lr", 0.03}}}});
  return more;
}

std::vector<double> losses(SmallRun& small) {
  testing::internal::CaptureStderr();
  run_sft(small.run);
  testing::internal::GetCapturedStderr();
  return record::RunReader(small.folder / "run.h5").column("loss");
}

TEST(Sft, LearnsAnAnswerByHeart) {
  SmallRun small(five_dialogues(), sft());
  const auto loss = losses(small);
  ASSERT_EQ(loss.size(), 6u);
  EXPECT_LT(loss.back(), 0.8 * loss.front());
}

TEST(Sft, ValidatesOnAnswersOfItsSplit) {
  SmallRun small(five_dialogues(), sft({{"validation.every", 3}}));
  losses(small);
  const auto held_out = record::RunReader(small.folder / "run.h5").column("validation/loss");
  EXPECT_TRUE(std::isnan(held_out[0]));
  EXPECT_FALSE(std::isnan(held_out[2]));
}

TEST(Sft, RefusesRecordsWithoutAnswers) {
  SmallRun small({said("a", {"hello"}, "")}, sft());
  EXPECT_NE(complaint([&] { run_sft(small.run); }).find("sft trains on answers: check that this is the right dataset"),
            std::string::npos);
}

// If all tokens are targets, the answer may be missing.
TEST(Sft, CanLearnWhatEveryoneSays) {
  SmallRun small({said("a", {"hello"}, "")}, sft({{"sft.loss_on", "all"}}));
  EXPECT_EQ(losses(small).size(), 6u);
}

TEST(Sft, EstimatesItsMemoryBeforeItBegins) {
  SmallRun small(five_dialogues(), sft());
  EXPECT_GT(memory_of_sft(small.run), 1);
}

// Evaluation of a small model, in memory.

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
  EXPECT_EQ(metrics.at("distinct_1").at("n"), 1);                    // one value for all completions together
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
  EXPECT_EQ(complaint([&] { run_evaluate(small.run); }),
            "evaluate.prompts: is 9, but split 'train' has only 5 records\n  help: lower it, or use a larger split");
}

// A judge behind an endpoint, which scores groups while others are sampled.

using server::Seen;
using server::Server;

// Result of two steps of a small run with a judge at this endpoint: the weights, and the reward of the last step.
struct Outcome {
  std::vector<float> weights;
  double reward;
};
Outcome run_with(const Server& server, const std::optional<std::filesystem::path>& answers = std::nullopt) {
  const nlohmann::json chat{
      {"plugin", "openai"}, {"url", server.url()}, {"name", "judge"}, {"concurrent", 16}, {"key_env", "NO_KEY_HERE"}};
  const nlohmann::json judge{{"plugin", "orm"}, {"chat", chat}};
  SmallRun small(five_dialogues(),
                 {{"rewards", nlohmann::json::array({judge})},
                  {"grpo.batch", 4},
                  {"grpo.group_size", 4},
                  {"sampling.concurrent", 4}},
                 answers);
  const auto step = GrpoStep::open(small.run);
  open_journal(small.run, "grpo", step->columns(), step->values(), 2, step->records());
  MetricRow row(small.run.journal->columns());
  testing::internal::CaptureStderr();
  for (uint64_t t = 1; t <= 2; ++t) step->run_step(t, row);
  testing::internal::GetCapturedStderr();
  const auto weights = step->training().parameters.weights();
  return {{weights.begin(), weights.end()}, row.get("reward")};
}

// A judge whose verdict is a function of the text.
std::string verdict(const std::string& question) {
  const size_t sum = std::accumulate(question.begin(), question.end(), size_t{0},
                                     [](size_t all, char c) { return all * 31 + static_cast<unsigned char>(c); });
  return sum % 2 ? "second" : "first";
}

TEST(AsyncReward, GivesTheSameWeightsInWhateverOrderAnswersArrive) {
  Server prompt([](const Seen& seen) { return server::answer(verdict(server::asked(seen))); });
  const auto expected = run_with(prompt);
  for (int seed = 0; seed < 3; ++seed) {
    Server late([&](const Seen& seen) {
      auto act = server::answer(verdict(server::asked(seen)));
      act.pieces.insert(act.pieces.begin(), "HTTP/1.1 102 X\r\n\r\n");
      act.pause = verdict(seen.body + std::to_string(seed)) == "first" ? 9 : 1;
      return act;
    });
    const auto found = run_with(late);
    EXPECT_EQ(found.weights, expected.weights);
    EXPECT_EQ(found.reward, expected.reward);
  }
}

TEST(AsyncReward, AsksNothingThatWasAnsweredInAnEarlierStart) {
  const record::TemporaryFolder folder;
  std::atomic<int> asked = 0;
  Server counting([&](const Seen& seen) {
    ++asked;
    return server::answer(verdict(server::asked(seen)));
  });
  const auto first = run_with(counting, folder.path());
  const int paid = asked;
  EXPECT_GT(paid, 0);
  EXPECT_EQ(run_with(counting, folder.path()).weights, first.weights);
  EXPECT_EQ(asked, paid);
}

TEST(AsyncReward, LeavesOutCompletionsThatTheJudgeDidNotAnswer) {
  Server moody([](const Seen& seen) {
    return verdict(seen.body) == "first" ? server::fail(400, "not this one") : server::answer("first");
  });
  EXPECT_EQ(run_with(moody).reward, -1) << "of those that were judged, all are worse; the others count for nothing";
}

TEST(AsyncReward, EndsTheStepWithTheEndpointsErrorWhereNobodyMayAsk) {
  Server closed([](const Seen&) { return server::fail(401, "no key"); });
  const auto text = complaint([&] { run_with(closed); });
  EXPECT_NE(text.find("HTTP 401: no key"), std::string::npos) << text;
}

}  // namespace
}  // namespace compeer::train
