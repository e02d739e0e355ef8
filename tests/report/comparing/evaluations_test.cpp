#include "report/comparing/evaluations.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(Evaluations, KeepGreedyApartAndPutTheStartFirst) {
  auto runs = sample::quickstart();
  std::swap(runs[3], runs[5]);  // sft's evaluation is not the first any more
  const Lineage lineage(runs);
  const auto groups = evaluations(runs, lineage);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].heading, "Sampled, temperature 1");
  EXPECT_EQ(groups[1].heading, "Greedy");
  EXPECT_EQ(groups[0].candidates[0].label, "sft");
  const auto& pairs = groups[0].comparisons;
  ASSERT_EQ(pairs.size(), 3u);  // from sft to each of the others, and between those
  EXPECT_EQ(groups[0].candidates[pairs[0].first].label, "sft");
  EXPECT_EQ(pairs[2], (std::pair<size_t, size_t>(1, 2)));
}

TEST(Evaluations, DifferentDataIsNotCompared) {
  auto runs = sample::quickstart();
  runs[4].spec["dataset"]["language"] = "zh";
  EXPECT_EQ(evaluations(runs, Lineage(runs)).size(), 3u);
}

TEST(Evaluations, TakeSeedsTogether) {
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
  const auto groups = evaluations(runs, lineage);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].candidates[1].label, "b");
  EXPECT_EQ(each_run(groups[0]).candidates.size(), 6u);
  EXPECT_EQ(groups[0].candidates[1].subject, "models/b");
  // b - a is 0.01, 0.02, 0.03 per seed, although seeds differ by 0.1: deviation 0.01, half interval 0.0248
  const auto d = difference(groups[0].candidates[0], groups[0].candidates[1], "rewards/truth/quality");
  EXPECT_TRUE(d.paired);
  EXPECT_NEAR(d.value, 0.02, 1e-9);
  EXPECT_NEAR(d.high, 0.0448, 1e-4);
}

TEST(Evaluations, TakeSeedsOfOneModelTogether) {
  const auto runs = sample::study();
  const auto groups = evaluations(runs, Lineage(runs));
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

TEST(Evaluations, CountWhatWasDoneTwiceOnce) {
  auto runs = sample::study();
  runs.push_back(runs[3]);
  runs.back().name = "the-same-again";
  EXPECT_EQ(evaluations(runs, Lineage(runs))[0].candidates.size(), 3u);
  EXPECT_EQ(evaluations(runs, Lineage(runs))[0].candidates[1].evaluations.size(), 3u);
  // Another figure in the same folder means other weights: not another seed, but a separate candidate.
  runs.back().stages[1].findings["mean_emotion"] = sample::figure(12, 2);
  EXPECT_EQ(evaluations(runs, Lineage(runs))[0].candidates.size(), 4u);
}

TEST(Evaluations, OfCheckpointsOfOneRunAreNoSeeds) {
  std::vector<RunData> runs = {sample::grpo("g", "none", "models/start", 5)};
  for (const char* step : {"step-000010", "step-000020"})
    runs.push_back(sample::evaluation(std::string("eval-") + step, std::string("results/g/checkpoints/") + step, false,
                                      0.5, 0.3, 0.08));
  const auto groups = evaluations(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].candidates.size(), 2u);
}

TEST(Evaluations, LookLikeTheRunThatTaughtTheModel) {
  const auto runs = sample::study();
  const Lineage lineage(runs);
  const auto groups = evaluations(runs, lineage);
  EXPECT_EQ(groups[0].candidates[1].style, lineage.style(2));  // por-seed_1
}

TEST(Evaluations, KeepApartWhatWasMeasuredInOtherWays) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 60, 2, 0.1),
                               sample::tested("c", "y", 1, 60, 2, 0.1)};
  runs[1].stages[1].settings["supporter_temperature"] = 1.0;  // settings of the tested model may differ
  runs[2].stages[1].settings["rounds"] = 20;
  const auto groups = evaluations(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].heading, "sage (rounds = none)");
  EXPECT_EQ(groups[1].heading, "sage (rounds = 20)");
}

TEST(Evaluations, OfRecordsThatAnEarlierStagePlayedAreOfWhoWasTestedThere) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 60, 2, 0.1),
                               sample::tested("c", "y", 1, 60, 2, 0.1)};
  runs[2].stages[1].settings["rounds"] = 20;  // other dialogues
  for (auto& run : runs) {
    StageData truth;
    truth.name = "02-world_truth", truth.plugin = "world_truth";
    truth.settings = {{"plugin", "world_truth"}, {"label", nullptr}};
    truth.findings = {{"columns", {"quality"}}, {"quality", sample::figure(0.5, 0.1)}};
    run.stages.push_back(truth);
  }
  const auto groups = evaluations(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[1].plugin, "world_truth");
  ASSERT_EQ(groups[1].candidates.size(), 2u);
  EXPECT_EQ(groups[1].candidates[1].subject, "results/y/checkpoints/last");
  EXPECT_EQ(groups[3].heading, "world_truth (played.settings.rounds = 20)");
}

TEST(Evaluations, NameChatModelsByTheirModel) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 60, 2, 0.1)};
  runs[0].stages[1].settings["supporter"] = {{"plugin", "openai"}, {"url", "http://localhost"}, {"name", "large"}};
  runs[1].stages[1].settings["supporter"] = {{"plugin", "esc_world"}};
  const auto supporters = evaluations(runs, Lineage(runs));
  ASSERT_EQ(supporters.size(), 1u);
  EXPECT_EQ(supporters[0].candidates[0].subject, "large");
  EXPECT_EQ(supporters[0].candidates[1].subject, "esc_world");

  // For judges: chat models are compared with local models.
  for (auto& run : runs) run.stages[1].settings = {{"plugin", "reward_accuracy"}};
  runs[0].stages[1].settings["chat"] = {{"plugin", "openai"}, {"name", "large"}};
  runs[0].stages[1].settings["outcome_chat"] = {{"plugin", "local"}, {"path", "models/small"}};
  runs[1].stages[1].settings["model"] = "models/small";
  for (auto& run : runs) run.stages[1].plugin = "reward_accuracy";
  const auto by_chat = evaluations(runs, Lineage(runs));
  ASSERT_EQ(by_chat.size(), 1u);
  EXPECT_EQ(by_chat[0].candidates[0].subject, "large and models/small");
  EXPECT_EQ(by_chat[0].candidates[1].subject, "models/small");
}

TEST(Evaluations, NameStagesOfOneRunWithoutLabelsByTheirModels) {
  std::vector<RunData> runs = {sample::tested("both", "x", 1, 50, 2, 0.1)};
  runs[0].stages.push_back(runs[0].stages[1]);
  runs[0].stages[2].name = "02-sage";
  for (const auto& [stage, model] : {std::pair(1, "large"), std::pair(2, "small")})
    runs[0].stages[stage].settings["supporter"] = {{"plugin", "openai"}, {"name", model}};
  const auto groups = evaluations(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].candidates[0].name, "both-sage-large");
  EXPECT_EQ(groups[0].candidates[1].label, "small");
}

TEST(Evaluations, NameSeveralStagesOfOneRunByTheirStages) {
  std::vector<RunData> runs = {sample::tested("both", "x", 1, 50, 2, 0.1)};
  auto second = runs[0].stages[1];
  second.name = "02-warm";
  second.settings["label"] = "warm";
  second.settings["supporter_temperature"] = 1.0;
  runs[0].stages.push_back(second);
  const auto groups = evaluations(runs, Lineage(runs));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].candidates.size(), 2u);
  EXPECT_EQ(groups[0].candidates[0].name, "both-sage");
  EXPECT_EQ(groups[0].candidates[1].label, "warm");
  EXPECT_NE(groups[0].candidates[0].style, groups[0].candidates[1].style);
}

EvaluationGroup group_of(const std::vector<RunData>& runs) { return evaluations(runs, Lineage(runs)).at(0); }

/// The evaluations of por and urp in the study: seeds differ by 10, the two policies by 2, 3 and 4 for the same seed.
std::vector<RunData> study() {
  auto runs = sample::study();
  const double por[] = {50, 60, 70}, urp[] = {52, 63, 74};
  for (size_t seed = 0; seed < 3; ++seed) {
    runs[6 * seed + 3].stages[1].findings["mean_emotion"] = sample::figure(por[seed], 2);
    runs[6 * seed + 5].stages[1].findings["mean_emotion"] = sample::figure(urp[seed], 2);
  }
  return runs;
}

MeanDifference urp_against_por(const std::vector<RunData>& runs) {
  const auto group = group_of(runs);
  EXPECT_EQ(group.candidates.size(), 3u);
  return difference(group.candidates[1], group.candidates[2], "mean_emotion");
}

TEST(Figures, OfSeveralSeedsAreTheirMean) {
  const auto runs = sample::study();
  // 59, 60, 61: deviation 1, half interval 4.30265 / sqrt(3) = 2.484
  const auto figure = figure_of(group_of(runs).candidates[1], "mean_emotion");
  EXPECT_DOUBLE_EQ(figure.mean, 60);
  EXPECT_NEAR(figure.high, 62.484, 1e-3);
  EXPECT_EQ(figure.n, 3);
}

TEST(MeanDifference, OfCandidatesIsTakenTestByTest) {
  const auto d = urp_against_por(study());
  EXPECT_TRUE(d.paired);
  EXPECT_DOUBLE_EQ(d.value, 3);  // 2, 3, 4: deviation 1, half interval 2.484
  EXPECT_NEAR(d.low, 0.516, 1e-3);
  EXPECT_TRUE(d.is_significant());
}

TEST(MeanDifference, OfCandidatesThatWentThroughOtherTestsIsOfIndependentMeans) {
  auto runs = study();
  runs[17].spec["seed"] = 4;
  const auto d = urp_against_por(runs);
  EXPECT_FALSE(d.paired);
  EXPECT_DOUBLE_EQ(d.value, 3);
  EXPECT_FALSE(d.is_significant());  // half intervals 24.8 and 27.3
}

TEST(MeanDifference, OfCandidatesIsNotPairedWhereATestIsMissingOrMadeTwice) {
  auto missing_one = study(), twice = study();
  missing_one[9].stages[1].findings.erase("mean_emotion");
  EXPECT_FALSE(urp_against_por(missing_one).paired);
  twice[9].spec["seed"] = twice[11].spec["seed"] = 1;
  EXPECT_FALSE(urp_against_por(twice).paired);
}

}  // namespace
}  // namespace compeer::report
