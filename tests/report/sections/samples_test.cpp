#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

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
  runs[1].stages[1].records.erase(runs[1].stages[1].records.begin());  // the first was dropped
  const auto html = written(runs);
  EXPECT_FALSE(has(html, "esc_world/test/0<"));
  EXPECT_TRUE(has(html, "<b>esc_world/test/1</b>"));
  EXPECT_TRUE(has(html, "That sounds heavy, b."));
  EXPECT_FALSE(has(html, "<b>esc_world/test/7</b>"));  // six are enough
}

TEST(Dialogues, SayWhichRunLacksOne) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1)};
  runs[0].stages[1].records.resize(1);
  runs[1].stages[1].records.erase(runs[1].stages[1].records.begin());
  EXPECT_TRUE(has(written(runs), "not kept"));
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
  EXPECT_FALSE(has(html, "not kept"));
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

/// A run whose stage kept this record.
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
