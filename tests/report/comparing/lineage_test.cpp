#include "report/comparing/lineage.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(Lineage, FollowsCheckpointsBackToTheRunThatWroteThem) {
  const auto runs = sample::quickstart();
  const Lineage lineage(runs);
  EXPECT_FALSE(lineage.parent(0));
  EXPECT_EQ(lineage.parent(1), 0u);  // grpo-none started from sft
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
    auto& used = runs.back().used;
    auto taught = sample::spec("ur-" + seed, "grpo", "results/sft-" + seed + "/checkpoints/last", "none");
    taught["seed"] = std::stoi(seed);
    if (seed == "3") taught["grpo"]["lr"] = 1.0;
    used["results/ur-" + seed + "/checkpoints/last"] = taught;
    used["results/sft-" + seed + "/checkpoints/last"] = sample::spec("sft-" + seed, "sft", "", "none");
  }
  const Lineage lineage(runs);
  EXPECT_EQ(lineage.key(0), lineage.key(1));
  EXPECT_NE(lineage.key(0), lineage.key(2));
  EXPECT_EQ(lineage.in_common(runs[0].stages[1].settings), lineage.in_common(runs[1].stages[1].settings));
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
  const auto kinds = kinds_of(runs, Lineage(runs), {0, 1, 2, 3, 4, 5});
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].name, "alpha-0 (3 seeds)");
  EXPECT_EQ(kinds[0].label, "0");
  EXPECT_EQ(kinds[1].runs, (std::vector<size_t>{3, 4, 5}));
}

}  // namespace
}  // namespace compeer::report
