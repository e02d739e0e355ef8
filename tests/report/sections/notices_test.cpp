#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

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
                 "split 'train': 96 records, 3 too long and trimmed"};
  EXPECT_EQ(notices({run}),
            (std::vector<std::string>{"r: ended after step 12 of 20: no better validation/loss since step 6.",
                                      "r: split 'train': 96 records, 3 too long and trimmed."}));
}

TEST(Notices, OfASoundRunAreNone) { EXPECT_TRUE(notices({sample::grpo("r", "none", "")}).empty()); }

/// A run whose judges gave 18 of 21 scores, of three dialogues; a fourth was dropped.
RunData judged_in_part(const std::string& name) {
  auto run = sample::tested(name, "x", 1, 50, 2, 0.1, 1);
  run.stages[1].findings["scores"] = 21;
  run.stages[1].findings["invalid"] = 3;
  run.stages[1].findings["reasons"] = {{"judge, fluency", 2}, {"judge, human", 1}};
  return run;
}

TEST(Notices, NameTestsThatLeaveRecordsOut) {
  EXPECT_EQ(notices({sample::tested("a", "x", 1, 50, 2, 0.1, 2)}),
            std::vector<std::string>{"a, 01-sage: 2 of 100 records not scored."});
  std::vector<RunData> runs;
  for (int i = 1; i <= 8; ++i) runs.push_back(sample::tested("run-" + std::to_string(i), "x", 1, 50 + i, 2, 0.1, i));
  const auto list = notices(runs);
  ASSERT_EQ(list.size(), 7u);
  EXPECT_EQ(list.back(), "2 more notices of what evaluations left out: see their tables.");
}

TEST(Notices, CountWhatWasDroppedForBeingInvalidOnce) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1, 3);
  run.stages[1].findings["invalid"] = 3;
  run.stages[1].findings["reasons"] = {{"unreadable change", 3}};
  EXPECT_EQ(notices({run}), std::vector<std::string>{"a, 01-sage: 3 of 100 records not scored."});
}

TEST(Notices, NameTestsWithInvalidScores) {
  auto silent = judged_in_part("silent"), old = judged_in_part("old");
  for (auto* run : {&silent, &old}) run->stages[1].left_out = 0, run->stages[1].dropped.clear();
  old.stages[1].findings.erase("scores");
  EXPECT_EQ(notices({silent, old}),
            (std::vector<std::string>{"silent, 01-sage: 3 of 21 scores invalid.", "old, 01-sage: 3 scores invalid."}));
}

TEST(Notices, NameAnswersThatCountThoughTheyAreEmptyOrUnreadable) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  run.stages[1].counts = {
      {"answers without a reply", 12}, {"history: True, unreadable", 2}, {"reply: first, unreadable", 1}, {"b", 7}};
  EXPECT_EQ(notices({run}),
            (std::vector<std::string>{"a, 01-sage: 3 answers unreadable.", "a, 01-sage: 12 answers without a reply."}));
}

}  // namespace
}  // namespace compeer::report
