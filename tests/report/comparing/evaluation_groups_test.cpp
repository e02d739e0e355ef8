#include "report/comparing/evaluations.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(RunEvaluations, KeepGreedyApartAndPutTheStartFirst) {
  auto runs = sample::quickstart();
  std::swap(runs[3], runs[5]);  // the evaluation of sft is no longer given first
  const Lineage lineage(runs);
  const auto groups = run_evaluations(runs, lineage, Seeds::apart);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].heading, "Sampled, temperature 1");
  EXPECT_EQ(groups[1].heading, "Greedy");
  EXPECT_EQ(groups[0].candidates[0].label, "sft");
  const auto pairs = comparisons(runs, lineage, groups[0]);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(groups[0].candidates[pairs[0].before].label, "sft");
}

TEST(RunEvaluations, DifferentDataIsNotCompared) {
  auto runs = sample::quickstart();
  runs[4].spec["dataset"]["language"] = "zh";
  EXPECT_EQ(run_evaluations(runs, Lineage(runs), Seeds::apart).size(), 3u);
}

TEST(RunEvaluations, TakeSeedsTogetherWhereAsked) {
  std::vector<RunData> runs;
  for (const int seed : {1, 2, 3}) {
    for (const char* model : {"a", "b"}) {
      const double quality = 0.5 + 0.1 * seed + (*model == 'b' ? 0.01 * seed : 0);
      runs.push_back(sample::evaluation(std::string("eval-") + model + "-seed-" + std::to_string(seed),
                                        std::string("models/") + model, false, quality, 0.3, 0.08));
      runs.back().spec["seed"] = runs.back().spec["dataset"]["seed"] = seed;
    }
  }
  const Lineage lineage(runs);
  EXPECT_EQ(run_evaluations(runs, lineage, Seeds::apart).size(), 3u);  // other data
  const auto groups = run_evaluations(runs, lineage, Seeds::together);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].candidates[1].label, "b");
  EXPECT_EQ(groups[0].candidates[1].subject, "models/b");
  // b - a is 0.01, 0.02, 0.03 seed by seed, where seeds differ by 0.1: sd 0.01, half width 0.0248
  const auto d = difference(runs, groups[0].candidates[0], groups[0].candidates[1], "rewards/truth/quality");
  EXPECT_TRUE(d.paired);
  EXPECT_NEAR(d.value, 0.02, 1e-9);
  EXPECT_NEAR(d.high, 0.0448, 1e-4);
}

TEST(StageEvaluations, TakeSeedsOfOneModelTogether) {
  const auto runs = sample::study();
  const auto groups = stage_evaluations(runs, Lineage(runs), Seeds::together);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].heading, "sage");
  std::vector<std::string> columns;
  for (const auto& column : groups[0].columns) columns.push_back(column.name);
  EXPECT_EQ(columns, (std::vector<std::string>{"mean_emotion", "success", "failure", "rounds"}));
  ASSERT_EQ(groups[0].candidates.size(), 3u);
  EXPECT_EQ(groups[0].candidates[0].name, "sage-sft");
  EXPECT_EQ(groups[0].candidates[2].label, "urp");
  EXPECT_EQ(groups[0].candidates[2].evaluations.size(), 3u);
  EXPECT_EQ(groups[0].candidates[1].subject, "por");
}

TEST(StageEvaluations, CountWhatWasDoneTwiceOnce) {
  auto runs = sample::study();
  runs.push_back(runs[3]);
  runs.back().name = "the-same-again";
  EXPECT_EQ(stage_evaluations(runs, Lineage(runs), Seeds::together)[0].candidates[1].evaluations.size(), 3u);
  runs.back().stages[1].findings["mean_emotion"] = sample::figure(12, 2);  // other weights in another folder
  EXPECT_EQ(stage_evaluations(runs, Lineage(runs), Seeds::together)[0].candidates[1].evaluations.size(), 4u);
}

TEST(StageEvaluations, LookLikeTheRunThatTaughtTheModel) {
  const auto runs = sample::study();
  const Lineage lineage(runs);
  const auto groups = stage_evaluations(runs, lineage, Seeds::together);
  EXPECT_EQ(groups[0].candidates[1].style, lineage.style(2));  // por-seed_1
}

TEST(StageEvaluations, KeepApartWhatWasMeasuredInOtherWays) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 60, 2, 0.1),
                               sample::tested("c", "y", 1, 60, 2, 0.1)};
  runs[1].stages[1].settings["supporter_temperature"] = 1.0;  // who is tested: no matter
  runs[2].stages[1].settings["rounds"] = 20;
  const auto groups = stage_evaluations(runs, Lineage(runs), Seeds::together);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].heading, "sage (rounds = none)");
  EXPECT_EQ(groups[1].heading, "sage (rounds = 20)");
}

TEST(StageEvaluations, OfRecordsThatAnEarlierStagePlayedAreOfWhoWasTestedThere) {
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
  const auto groups = stage_evaluations(runs, Lineage(runs), Seeds::together);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[1].plugin, "world_truth");
  ASSERT_EQ(groups[1].candidates.size(), 2u);
  EXPECT_EQ(groups[1].candidates[1].subject, "results/y/checkpoints/last");
  EXPECT_EQ(groups[3].heading, "world_truth (played.settings.rounds = 20)");
}

TEST(StageEvaluations, NameChatModelsByTheirModel) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 60, 2, 0.1)};
  runs[0].stages[1].settings["supporter"] = {{"plugin", "openai"}, {"url", "http://localhost"}, {"name", "large"}};
  runs[1].stages[1].settings["supporter"] = {{"plugin", "esc_world"}};
  const auto supporters = stage_evaluations(runs, Lineage(runs), Seeds::together);
  ASSERT_EQ(supporters.size(), 1u);
  EXPECT_EQ(supporters[0].candidates[0].subject, "large");
  EXPECT_EQ(supporters[0].candidates[1].subject, "esc_world");

  // Of judges: chat models are compared with those in folders.
  for (auto& run : runs) run.stages[1].settings = {{"plugin", "reward_accuracy"}};
  runs[0].stages[1].settings["chat"] = {{"plugin", "openai"}, {"name", "large"}};
  runs[0].stages[1].settings["outcome_chat"] = {{"plugin", "local"}, {"path", "models/small"}};
  runs[1].stages[1].settings["model"] = "models/small";
  for (auto& run : runs) run.stages[1].plugin = "reward_accuracy";
  const auto by_chat = stage_evaluations(runs, Lineage(runs), Seeds::together);
  ASSERT_EQ(by_chat.size(), 1u);
  EXPECT_EQ(by_chat[0].candidates[0].subject, "large and models/small");
  EXPECT_EQ(by_chat[0].candidates[1].subject, "models/small");
}

TEST(StageEvaluations, NameStagesOfOneRunWithoutLabelsByTheirModels) {
  std::vector<RunData> runs = {sample::tested("both", "x", 1, 50, 2, 0.1)};
  runs[0].stages.push_back(runs[0].stages[1]);
  runs[0].stages[2].name = "02-sage";
  for (const auto& [stage, model] : {std::pair(1, "large"), std::pair(2, "small")})
    runs[0].stages[stage].settings["supporter"] = {{"plugin", "openai"}, {"name", model}};
  const auto groups = stage_evaluations(runs, Lineage(runs), Seeds::together);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].candidates[0].name, "both-sage-large");
  EXPECT_EQ(groups[0].candidates[1].label, "small");
}

TEST(StageEvaluations, NameSeveralStagesOfOneRunByTheirStages) {
  std::vector<RunData> runs = {sample::tested("both", "x", 1, 50, 2, 0.1)};
  auto second = runs[0].stages[1];
  second.name = "02-warm";
  second.settings["label"] = "warm";
  second.settings["supporter_temperature"] = 1.0;
  runs[0].stages.push_back(second);
  const auto groups = stage_evaluations(runs, Lineage(runs), Seeds::together);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].candidates[0].name, "both-sage");
  EXPECT_EQ(groups[0].candidates[1].label, "warm");
  EXPECT_NE(groups[0].candidates[0].style, groups[0].candidates[1].style);
}

}  // namespace
}  // namespace compeer::report
