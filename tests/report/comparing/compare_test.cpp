#include "report/comparing/compare.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"
#include "report/comparing/lineage.h"

namespace compeer::report {
namespace {

TEST(MeanDifference, OfIndependentMeansJoinsTheirHalfWidths) {
  // 0.70 [0.68, 0.73] - 0.50 [0.46, 0.53]: low 0.20 - hypot(.02, .03), high 0.20 + hypot(.03, .04)
  const MeanDifference d = difference({0.50, 0.46, 0.53, 100}, {0.70, 0.68, 0.73, 100});
  EXPECT_NEAR(d.value, 0.20, 1e-12);
  EXPECT_NEAR(d.low, 0.20 - 0.0360555, 1e-6);
  EXPECT_NEAR(d.high, 0.20 + 0.05, 1e-12);
  EXPECT_TRUE(d.is_significant());
}

TEST(MeanDifference, IsNotClearWhereItsIntervalHoldsZero) {
  EXPECT_FALSE(difference({0.50, 0.46, 0.54, 9}, {0.55, 0.51, 0.59, 9}).is_significant());
}

TEST(MeanDifference, IsNeverClearWithoutIntervals) {
  const MeanDifference d = difference({0, missing, missing, 1}, {100, missing, missing, 1});
  EXPECT_EQ(d.value, 100);
  EXPECT_FALSE(d.is_significant());
  EXPECT_TRUE(std::isnan(difference({}, {1, 0, 2, 3}).value));
}

TEST(MeanDifference, OfWhatWasMeasuredOnceHasNoInterval) {
  // distinct-2 of all texts is one number, so its interval has no width.
  EXPECT_FALSE(difference({0.08, 0.08, 0.08, 1}, {0.07, 0.07, 0.07, 1}).is_significant());
}

RunData with_prompts(const std::vector<double>& values) {
  RunData run;
  for (size_t i = 0; i < values.size(); ++i) run.per_prompt["reward"]["prompt-" + std::to_string(i)] = values[i];
  run.summary["reward"] = statistics::mean_interval(values);
  return run;
}

TEST(MeanDifference, IsTakenPromptByPromptWhereBothRunsAnsweredTheSame) {
  // Prompts differ much; the runs differ by about 0.1 on each prompt, which only the paired difference detects.
  const RunData a = with_prompts({0, 1, 2, 3, 4, 5, 6, 7});
  const RunData b = with_prompts({0.1, 1.1, 2.1, 3.1, 4.1, 5.1, 6.1, 7.18});
  EXPECT_FALSE(difference(a.estimate("reward"), b.estimate("reward")).is_significant());
  const MeanDifference d = difference(a, b, "reward");
  EXPECT_TRUE(d.paired);
  EXPECT_TRUE(d.is_significant());
  EXPECT_NEAR(d.value, 0.11, 1e-9);
}

TEST(MeanDifference, IsOfIndependentMeansIfPromptsAreOthersOrTooFew) {
  EXPECT_FALSE(difference(with_prompts({1, 2, 3}), with_prompts({1, 2, 4}), "reward").paired);
  RunData a = with_prompts({0, 1, 2, 3, 4, 5, 6, 7}), b = a;
  b.per_prompt["reward"].erase("prompt-7");
  b.per_prompt["reward"]["another"] = 7;
  EXPECT_FALSE(difference(a, b, "reward").paired);
}

std::vector<CellMarks> standings_of(const std::vector<Interval>& all, Better better) {
  return cell_marks(all, better, [&](size_t i, size_t best) { return difference(all[i], all[best]); });
}

TEST(Standings, MarkBestSecondAndWhatCantBeToldApart) {
  // 62 - 60: half interval sqrt(1 + 9) = 3.2 > 2; 62 - 50: sqrt(1 + 1) < 12
  const std::vector<Interval> all = {{60, 57, 63, 9}, {62, 61, 63, 9}, {50, 49, 51, 9}, {missing, missing, missing, 0}};
  const auto marks = standings_of(all, Better::higher);
  EXPECT_TRUE(marks[1].best && !marks[1].tied);
  EXPECT_TRUE(marks[0].second && marks[0].tied);
  EXPECT_FALSE(marks[2].best || marks[2].second || marks[2].tied);
  EXPECT_FALSE(marks[3].best || marks[3].second || marks[3].tied);
}

TEST(Standings, KnowWhereLowerIsBetter) {
  const std::vector<Interval> all = {{0.2, 0.1, 0.3, 9}, {0.1, 0.05, 0.15, 9}};
  EXPECT_TRUE(standings_of(all, Better::lower)[1].best);
  EXPECT_TRUE(standings_of(all, Better::higher)[0].best);
  EXPECT_FALSE(standings_of(all, Better::unknown)[0].best);
}

TEST(Standings, MarkNothingWhereAllAreAlikeOrAlone) {
  EXPECT_FALSE(standings_of({{1, 0, 2, 9}}, Better::higher)[0].best);
  EXPECT_FALSE(standings_of({{1, 0, 2, 9}, {1, 0, 2, 9}}, Better::higher)[0].best);
}

TEST(Flattened, NamesEveryValueByItsPath) {
  const auto flat = flattened({{"grpo", {{"lr", 2e-4}}},
                               {"rewards", {{{"plugin", "length"}}}},
                               {"ids", {1, 2}},
                               {"empty", nlohmann::json::object()}});
  EXPECT_EQ(flat.at("grpo.lr"), "0.0002");
  EXPECT_EQ(flat.at("rewards[0].plugin"), "\"length\"");
  EXPECT_EQ(flat.at("ids"), "[1,2]");
  EXPECT_EQ(flat.at("empty"), "{}");
}

TEST(Changed, ListsOnlyWhatDiffers) {
  auto a = sample::run("a", "grpo", "", "none"), b = sample::run("b", "grpo", "", "redundancy");
  EXPECT_EQ(changed({&a, &b}), (std::vector<std::string>{"reweighting.alpha", "reweighting.beta", "reweighting.mode",
                                                         "reweighting.plugin"}));
  EXPECT_TRUE(changed({&a, &a}).empty());
}

TEST(Changed, NamesAnInputOnceButNoticesAChangedFile) {
  auto a = sample::run("a", "grpo", "models/a"), b = sample::run("b", "grpo", "models/b");
  a.spec["inputs"] = {{"model.path", "1111"}};
  b.spec["inputs"] = {{"model.path", "2222"}};
  EXPECT_EQ(changed({&a, &b}), (std::vector<std::string>{"model.path"}));
  b.spec["model"]["path"] = "models/a";
  EXPECT_EQ(changed({&a, &b}), (std::vector<std::string>{"inputs.\"model.path\""}));
}

TEST(Lineage, FollowsCheckpointsBackToTheRunThatWroteThem) {
  const auto runs = sample::quickstart();
  const Lineage lineage(runs);
  EXPECT_FALSE(lineage.parent(0));
  EXPECT_EQ(lineage.parent(1), 0u);  // the parent of grpo-none is sft
  EXPECT_EQ(lineage.parent(3), 0u);  // the first evaluation is of sft
  EXPECT_EQ(lineage.parent(5), 2u);
}

TEST(Lineage, EvaluationsLookLikeTheRunTheyJudge) {
  const auto runs = sample::quickstart();
  const Lineage lineage(runs);
  EXPECT_EQ(lineage.style(4), lineage.style(1));
  EXPECT_NE(lineage.style(1), lineage.style(2));
  EXPECT_EQ(lineage.style(1), 0u);
}

TEST(Lineage, SeedsOfOneExperimentShareKeyAndLook) {
  const auto runs = sample::sweep(2, 2, 5);
  const Lineage lineage(runs);
  EXPECT_EQ(lineage.key(0), lineage.key(1));
  EXPECT_NE(lineage.key(1), lineage.key(2));
  EXPECT_EQ(lineage.style(0), lineage.style(1));
}

TEST(Lineage, SeedsAreFollowedThroughTheModelTheyStartedFrom) {
  std::vector<RunData> runs;
  for (const int seed : {1, 2}) {
    const std::string start = "sft-" + std::to_string(seed);
    runs.push_back(sample::run(start, "sft"));
    runs.push_back(
        sample::run("grpo-" + std::to_string(seed), "grpo", "results/" + start + "/checkpoints/step-000010"));
    runs.back().spec["seed"] = seed;
    runs.back().spec["inputs"] = {{"model.path", "pin of " + start}};
  }
  const Lineage lineage(runs);
  EXPECT_EQ(lineage.key(1), lineage.key(3));
}

TEST(Lineage, SeedsAreFollowedThroughRunsThatAreNotReportedOn) {
  std::vector<RunData> runs;
  for (const std::string seed : {"1", "2", "3"}) {
    runs.push_back(sample::tested("sage-" + seed, "ur-" + seed, std::stoi(seed), 50, 2, 0.1));
    auto& used = runs.back().used_specs;
    auto taught = sample::spec("ur-" + seed, "grpo", "results/sft-" + seed + "/checkpoints/last", "none");
    taught["seed"] = std::stoi(seed);
    if (seed == "3") taught["grpo"]["lr"] = 1.0;
    used["results/ur-" + seed + "/checkpoints/last"] = taught;
    used["results/sft-" + seed + "/checkpoints/last"] = sample::spec("sft-" + seed, "sft", "", "none");
  }
  const Lineage lineage(runs);
  EXPECT_EQ(lineage.key(0), lineage.key(1));
  EXPECT_NE(lineage.key(0), lineage.key(2));
  EXPECT_EQ(lineage.without_seeds(runs[0].stages[1].settings), lineage.without_seeds(runs[1].stages[1].settings));
}

TEST(Lineage, CirclesEnd) {
  std::vector<RunData> runs = {sample::run("a", "grpo", "results/b/checkpoints/last"),
                               sample::run("b", "grpo", "results/a/checkpoints/last")};
  const Lineage lineage(runs);
  EXPECT_EQ(lineage.parent(0), 1u);
  EXPECT_EQ(lineage.parent(1), 0u);
}

TEST(Lineage, ManyKindsAllLookAlike) {
  const auto runs = sample::sweep(13, 1, 2);
  const Lineage lineage(runs);
  for (size_t i = 0; i < runs.size(); ++i) EXPECT_GE(lineage.style(i), 12u);
}

TEST(ShortLabels, DropTheWordsThatAllShare) {
  EXPECT_EQ(short_labels({"quick-eval-none-sampled", "quick-eval-paper-sampled"}),
            (std::vector<std::string>{"none", "paper"}));
  EXPECT_EQ(short_labels({"a-b", "a-c-d"}), (std::vector<std::string>{"b", "c-d"}));
  EXPECT_EQ(short_labels({"alone-in-the-world"}), (std::vector<std::string>{"alone-in-the-world"}));
  EXPECT_EQ(short_labels({"run", "run-2"}), (std::vector<std::string>{"run", "run-2"}));
}

TEST(Kinds, TakeSeedsTogether) {
  const auto runs = sample::sweep(2, 3, 5);
  const auto kinds = run_groups(runs, Lineage(runs), {0, 1, 2, 3, 4, 5});
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].name, "alpha-0 (3 seeds)");
  EXPECT_EQ(kinds[0].label, "0");
  EXPECT_EQ(kinds[1].runs, (std::vector<size_t>{3, 4, 5}));
}

}  // namespace
}  // namespace compeer::report
