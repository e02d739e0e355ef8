#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

std::string all_text(const std::vector<RunData>& runs) {
  std::string text;
  for (const auto& finding : findings(runs, Lineage(runs))) {
    for (const auto& sentence : finding.sentences) text += finding.heading + ": " + sentence + "\n";
  }
  return text;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Findings, CompareTrainedModelsWithTheirStart) {
  const auto text = all_text(sample::quickstart());
  // 0.141 -+ hypot(0.02, 0.02) = 0.0283
  EXPECT_TRUE(says(text,
                   "Sampled, temperature 1: Quality 0.561 [0.541, 0.581] (sft) → 0.702 [0.682, 0.722] (grpo-none): "
                   "+0.141 [+0.113, +0.169]."))
      << text;
}

TEST(Findings, CallNothingADifferenceThatIntervalsDontSupport) {
  const auto text = all_text(sample::quickstart());
  EXPECT_TRUE(says(text,
                   "grpo-redundancy against grpo-none: quality no clear difference (−0.013 [−0.041, +0.015]); "
                   "similarity in the group −0.129 [−0.145, −0.113];"))
      << text;
  EXPECT_TRUE(
      says(text, "Greedy: Quality 0.821 [0.801, 0.841] (sft) → 0.848 [0.828, 0.868] (grpo-none): no clear difference"))
      << text;
}

TEST(Findings, LeaveOutMetricsInWhichNothingDiffers) {
  auto runs = sample::quickstart();
  EXPECT_FALSE(says(all_text({runs.begin() + 6, runs.end()}), "similarity in the group"));  // 0 in all greedy runs
}

TEST(Findings, GiveTrainingRunsNoVerdict) {
  RunData run = sample::run("r", "grpo");
  run.columns["reward"] = std::vector<double>(20, 1.0);
  run.columns["reward"].insert(run.columns["reward"].end(), 20, 2.5);
  EXPECT_EQ(all_text({run}), "In training: Mean reward of the first → the last 20 rows: r 1.00 → 2.50.\n");
}

TEST(Findings, TellTheBestLookOfValidation) {
  const auto text = all_text({sample::validated(sample::sft("r", 60), 10, 20), sample::sft("s", 60)});
  EXPECT_TRUE(says(text, "In training: Best look at held-out records: r loss 1.94 at step 20.")) << text;
  EXPECT_FALSE(says(all_text({sample::sft("s", 60)}), "held-out"));
}

TEST(Findings, CountManyModelsInsteadOfTellingThemOneByOne) {
  std::vector<RunData> runs = {sample::evaluation("start", "models/start", false, 0.5, 0.3, 0.08)};
  for (int i = 0; i < 6; ++i) {
    const auto name = "g" + std::to_string(i);
    runs.push_back(sample::grpo(name, "none", "models/start", 5));
    runs.push_back(
        sample::evaluation("eval-" + name, "results/" + name + "/checkpoints/last", false, 0.44 + 0.04 * i, 0.3, 0.08));
  }
  EXPECT_TRUE(says(all_text(runs),
                   "Quality: of 6 models 3 are clearly above and 1 clearly below the one they are compared with; "
                   "from 0.440 [0.420, 0.460] (eval-g0) to 0.640 [0.620, 0.660] (eval-g5)."))
      << all_text(runs);
}

TEST(Findings, AreEmptyWithoutRows) {
  EXPECT_EQ(all_text({}), "");
  EXPECT_EQ(all_text({sample::run("r", "grpo")}), "");
}

TEST(Notices, NameTheRankAndThePluginOfAFailure) {
  RunData run = sample::grpo("r", "none", "", 5);
  run.state = "failed";
  run.steps_done = 17;
  run.steps_planned = 80;
  run.failure =
      record::ErrorRecord{1, "", "score", "rewards/length 1.0.0", "", "target is negative", "give a positive number"};
  EXPECT_EQ(notices({run}),
            (std::vector<std::string>{"r: failed at step 17 of 80; rank 1, phase score, plugin rewards/length 1.0.0: "
                                      "target is negative (give a positive number)."}));
}

TEST(Notices, SayWhatIsUnfinishedMissingOrWarnedOf) {
  RunData run = sample::run("r", "grpo");
  run.state = "stopped";
  run.problems = {"run.h5: can't be opened"};
  run.warnings = {"step 1, warning: a", "b", "c", "d", "e", "f", "g"};
  const auto list = notices({run});
  EXPECT_EQ(list[0], "r: ended without recording an error (killed, or its machine stopped).");
  EXPECT_EQ(list[1], "r: no rows.");
  EXPECT_EQ(list[2], "r: run.h5: can't be opened.");
  EXPECT_EQ(list.back(), "r: 2 more warnings.");
}

TEST(Notices, TellOfAnEarlyEndAndOfRecordsLeftOut) {
  RunData run = sample::sft("r", 12);
  run.remarks = {"ended after step 12 of 20: no better validation/loss since step 6",
                 "split 'train': of 96 records 3 are too long and trimmed"};
  EXPECT_EQ(notices({run}),
            (std::vector<std::string>{"r: ended after step 12 of 20: no better validation/loss since step 6.",
                                      "r: split 'train': of 96 records 3 are too long and trimmed."}));
}

TEST(Notices, OfASoundRunAreNone) { EXPECT_TRUE(notices({sample::grpo("r", "none", "")}).empty()); }

}  // namespace
}  // namespace compeer::report
