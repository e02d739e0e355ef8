#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"
#include "report/runs/metrics.h"

namespace compeer::report {
namespace {

TEST(Metrics, OfGroupsAreDescribedAsMeasuredAfterReweighting) {
  EXPECT_EQ(describe("group_std").note, "mean over groups of the standard deviation within, after reweighting");
  EXPECT_EQ(describe("zero_variance").note, "share of groups whose rewards are all equal after reweighting");
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
                 "split 'train': 96 records, 3 too long and trimmed"};
  EXPECT_EQ(notices({run}),
            (std::vector<std::string>{"r: ended after step 12 of 20: no better validation/loss since step 6.",
                                      "r: split 'train': 96 records, 3 too long and trimmed."}));
}

TEST(Notices, OfASoundRunAreNone) { EXPECT_TRUE(notices({sample::grpo("r", "none", "")}).empty()); }

/// A run whose judges gave 18 of 21 scores, for three dialogues; a fourth dialogue was dropped.
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
  EXPECT_EQ(list.back(), "2 more notices of records or scores that evaluations omitted: see their tables.");
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

TEST(Stages, TellsWhatBecameOfRecords) {
  Markup out;
  write_stages(out, {sample::tested("a", "x", 1, 50, 2, 0.1, 3)});
  const auto html = out.take();
  EXPECT_NE(html.find("<th scope=\"row\">01-sage</th><td class=\"number\">100</td><td class=\"number\">97</td>"
                      "<td class=\"number\">3</td><td class=\"words\">unreadable change 3</td>"
                      "<td class=\"words\">ended by goodbye 12</td>"),
            std::string::npos)
      << html;
}

TEST(Stages, NamesTheMostFrequentReasons) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  for (int i = 1; i <= 10; ++i) run.stages[1].dropped["reason " + std::to_string(i)] = i;
  Markup out;
  write_stages(out, {run});
  EXPECT_NE(out.take().find("reason 10 10, reason 9 9, reason 8 8, reason 7 7, reason 6 6, reason 5 5, reason 4 4, "
                            "reason 3 3; 2 more"),
            std::string::npos);
}

TEST(Stages, IsNotThereWithoutDataRuns) {
  Markup out;
  write_stages(out, sample::quickstart());
  EXPECT_EQ(out.size(), 0u);
}

RunData run(std::map<std::string, std::vector<double>> columns) {
  RunData made;
  made.columns = std::move(columns);
  return made;
}

TEST(Phases, AreSumsWithTheLongestFirst) {
  const Phases phases = phases_of({run({{"seconds/score", {1, NAN, 2}}, {"seconds/rollout", {4, 4, 4}}})});
  EXPECT_EQ(phases.names, (std::vector<std::string>{"rollout", "score"}));
  EXPECT_EQ(phases.seconds[0], (std::vector<double>{12, 3}));
  EXPECT_EQ(phases.whole[0], 15);
}

TEST(Phases, CallTheRestOfAStepOther) {
  const Phases phases = phases_of({run({{"seconds/rollout", {4, 4}}, {"seconds/step", {5, 6}}})});
  EXPECT_EQ(phases.names, (std::vector<std::string>{"rollout", "other"}));
  EXPECT_EQ(phases.seconds[0], (std::vector<double>{8, 3}));
  EXPECT_EQ(phases.whole[0], 11);
}

// 2 steps of 5 s, 4 s of it sampling; then 3 s of validation.
TEST(Phases, CountValidationBesideTheSteps) {
  const Phases phases =
      phases_of({run({{"seconds/rollout", {4, 4}}, {"seconds/step", {5, 5}}, {"seconds/validation", {NAN, 3}}})});
  EXPECT_EQ(phases.names, (std::vector<std::string>{"rollout", "validation", "other"}));
  EXPECT_EQ(phases.seconds[0], (std::vector<double>{8, 3, 2}));
  EXPECT_EQ(phases.whole[0], 13);
}

TEST(Timings, TakeValidationForNoPartOfAStep) {
  RunData one = run({{"seconds/step", {5, 5}}, {"seconds/validation", {NAN, 3}}});
  Markup out;
  write_timings(out, {one}, Lineage({one}));
  EXPECT_NE(out.take().find("<td class=\"number\">5.000</td>"), std::string::npos);
}

TEST(Phases, LeaveOutARestThatIsOnlyRounding) {
  EXPECT_EQ(phases_of({run({{"seconds/rollout", {4, 4}}, {"seconds/step", {4.01, 4.01}}})}).names.size(), 1u);
}

TEST(Phases, OfRunsWithoutTimesAreNone) {
  const Phases phases = phases_of({run({}), run({{"loss", {1}}})});
  EXPECT_TRUE(phases.names.empty());
  EXPECT_EQ(phases.whole[1], 0);
}

TEST(Specs, ShowTheOriginOfEachValue) {
  Markup out;
  write_specs(out, {sample::run("a", "grpo")});
  const auto html = out.take();
  EXPECT_NE(html.find("experiments/base.toml:14"), std::string::npos);
  EXPECT_NE(html.find("<details"), std::string::npos);
  EXPECT_NE(html.find("2025-03-01T12:34:56Z"), std::string::npos);
}

TEST(Specs, ShowEachSourceOnce) {
  auto a = sample::run("a", "grpo"), b = sample::run("b", "grpo");
  a.sources = b.sources = {{"scripts/study.lua", "local x = 1 < 2"}};
  Markup out;
  write_specs(out, {a, b});
  const auto html = out.take();
  const size_t first = html.find("<pre tabindex=\"0\">local x = 1 &lt; 2</pre>");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(html.find("<pre", first + 1), std::string::npos);
}

std::string written(const std::vector<RunData>& runs) {
  Markup out;
  write_stage_records(out, runs, Lineage(runs));
  return out.take();
}

bool has(const std::string& html, const std::string& what) { return html.find(what) != std::string::npos; }

TEST(Dialogues, ShowWhatWasSaidWithStepsAndScores) {
  const auto html = written({sample::tested("a", "x", 1, 50, 2, 0.1)});
  EXPECT_TRUE(has(html, "<p class=\"who\">user</p><p class=\"reply\" dir=\"auto\">I lost my job last week.</p>"));
  EXPECT_TRUE(has(html, "<span>emotion-point <b>48</b></span>"));
  EXPECT_TRUE(has(html, "<span class=\"tag\">strategy</span> question</p>"));
  EXPECT_TRUE(has(html, "<span>scores/rules/fluency <b>4</b></span>"));
  EXPECT_TRUE(has(html, "<span>emo_point <b>48</b></span>"));
}

TEST(Dialogues, AreTheFirstThatAllRunsKept) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1)};
  runs[1].stages[1].records.erase(runs[1].stages[1].records.begin());  // this run dropped the first dialogue
  const auto html = written(runs);
  EXPECT_FALSE(has(html, "esc_world/test/0<"));
  EXPECT_TRUE(has(html, "<b>esc_world/test/1</b>"));
  EXPECT_TRUE(has(html, "That sounds heavy, b."));
  EXPECT_FALSE(has(html, "<b>esc_world/test/7</b>"));  // at most six are shown
}

TEST(Dialogues, SayWhichRunLacksOne) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1)};
  runs[0].stages[1].records.resize(1);
  runs[1].stages[1].records.erase(runs[1].stages[1].records.begin());
  EXPECT_TRUE(has(written(runs), "not recorded"));
}

TEST(Dialogues, OfOtherDataStandApart) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1),
                               sample::tested("c", "z", 1, 50, 2, 0.1)};
  runs[2].spec["dataset"] = {{"plugin", "profiles"}, {"path", "other.jsonl"}};
  for (auto& record : runs[2].stages[1].records) record["id"] = "other/" + record["id"].get<std::string>();
  const auto html = written(runs);
  EXPECT_TRUE(has(html, "<h3>sage: a, b</h3>")) << html;
  EXPECT_TRUE(has(html, "<h3>sage: c</h3>"));
  EXPECT_TRUE(has(html, "<b>other/esc_world/test/0</b>"));
  EXPECT_FALSE(has(html, "not recorded"));
}

TEST(Dialogues, OfTheSameDialoguesStandTogetherWhateverFileTheyCameFrom) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1)};
  runs[1].spec["dataset"] = {{"plugin", "profiles"}, {"path", "results/b/stages/01-sage.jsonl"}};
  EXPECT_TRUE(has(written(runs), "<h3>sage: a, b</h3>"));
}

TEST(Dialogues, SurviveRecordsOfAnyShape) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  run.stages[1].records = {{{"turns", {1, "x", nullptr, {{"role", 3}, {"text", {}}, {"steps", "none"}}}}},
                           {{"id", 7}, {"turns", nlohmann::json::array()}, {"scores", {1, 2}}},
                           {{"id", "<b>"}, {"turns", {{{"role", "user"}, {"text", "<script>"}}}}}};
  const auto html = written({run});
  EXPECT_TRUE(has(html, "&lt;script&gt;"));
  EXPECT_TRUE(has(html, "(nothing)"));
}

nlohmann::json judged(const std::string& id, const nlohmann::json& verdict) {
  return {{"id", id},
          {"history", {{{"role", "user"}, {"text", "I lost my job."}}}},
          {"reference", "When was that?"},
          {"candidates", {{{"history", "told"}, {"emotion", "angry"}, {"strategy", "question"}, {"reply", "Oh."}}}},
          {"steps", {{true, false, true}}},
          {"preference", "first"},
          {"judged", verdict}};
}

/// A run with a stage that kept this record.
RunData judging(const std::string& name, const nlohmann::json& record) {
  auto run = sample::tested(name, "x", 1, 50, 2, 0.1);
  run.stages[1].records = {record};
  return run;
}

TEST(Records, OfSeveralJudgesStandSideBySide) {
  const auto html =
      written({judging("one", judged("a", {{"steps", {"True", "True", "True"}}, {"preference", "first"}})),
               judging("two", judged("a", {{"preference", "second"}}))});
  EXPECT_TRUE(has(html, "one, 01-sage</th>")) << html;
  EXPECT_TRUE(has(html,
                  "<th scope=\"row\">candidates[0].emotion</th><td class=\"words\">angry</td>"
                  "<td class=\"words\">angry</td>"))
      << html;
  EXPECT_TRUE(has(html,
                  "<th scope=\"row\">judged.preference</th><td class=\"words\">first</td>"
                  "<td class=\"words\"><strong>≠ second</strong></td>"))
      << html;
  EXPECT_TRUE(has(html, "<th scope=\"row\">judged.steps</th><td class=\"words\">≠ [&quot;True&quot;,")) << html;
  EXPECT_TRUE(has(html, ">I lost my job.</span>"));
}

TEST(Records, ThatAreDialoguesHaveAllTheirFieldsToo) {
  auto record = judged("a", {{"steps", {"True", "False", "True"}}, {"preference", "both good"}});
  record["turns"] = record["history"];
  const auto html = written({judging("one", record)});
  EXPECT_TRUE(has(html, "<p class=\"who\">user</p>")) << html;
  EXPECT_TRUE(has(html, "<th scope=\"row\">judged.preference</th><td class=\"words\">≠ both good</td>")) << html;
  EXPECT_TRUE(has(html, "<th scope=\"row\">judged.steps</th><td class=\"words\">[&quot;True&quot;,")) << html;
  EXPECT_FALSE(has(html, "turns[0]"));
}

TEST(Records, SurviveAnyShape) {
  const auto html = written({judging("one", {{"id", 7}, {"judged", 3}, {"candidates", "none"}}),
                             judging("two", {{"id", 7}, {"history", {3, "<b>"}}, {"steps", {1, 2}}})});
  EXPECT_TRUE(has(html, "&lt;b&gt;"));
  auto nothing = sample::tested("none", "x", 1, 50, 2, 0.1);
  nothing.stages[1].records.clear();
  EXPECT_EQ(written({nothing}), "");
}

}  // namespace
}  // namespace compeer::report
