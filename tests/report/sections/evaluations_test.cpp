#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

std::string written(const std::vector<RunData>& runs) {
  Markup out;
  write_evaluations(out, runs, Lineage(runs));
  return out.take();
}

bool has(const std::string& html, const std::string& what) { return html.find(what) != std::string::npos; }

TEST(Evaluations, AreATableLikeThePapers) {
  const auto html = written(sample::study());
  const size_t emotion = html.find(">mean emotion ↑"), success = html.find(">success ↑"),
               failure = html.find(">failure ↓"), rounds = html.find(">rounds<");
  EXPECT_LT(emotion, success);
  EXPECT_LT(success, failure);
  EXPECT_LT(failure, rounds);
  EXPECT_TRUE(has(html, "<strong>65.0</strong> <small>62.5 to 67.5</small>")) << html.substr(0, 4000);
  EXPECT_TRUE(has(html, "<em>60.0</em> <small>57.5 to 62.5</small>"));
  EXPECT_TRUE(has(html, ">urp (3 seeds)"));
}

TEST(Evaluations, CallColumnsAsThePaperDoes) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  run.stages[1].findings["titles"] = {"Emotion", "Success"};
  const auto html = written({run});
  EXPECT_TRUE(has(html, ">Emotion ↑"));
  EXPECT_TRUE(has(html, ">failure ↓"));
}

TEST(Evaluations, TellWhatWasNotScored) {
  const auto html = written(sample::study());
  EXPECT_TRUE(has(html, "294 <small>6 not scored</small>"));
  EXPECT_TRUE(has(html, "records without a score, by reason"));
  EXPECT_TRUE(has(html,
                  "<th scope=\"row\">unreadable change</th><td class=\"number\">0</td><td class=\"number\">0</td>"
                  "<td class=\"number\">6</td>"));
}

TEST(Evaluations, CountWhatFindingsCallInvalid) {
  auto runs = std::vector{sample::tested("a", "x", 1, 50, 2, 0.1)};
  runs[0].stages[1].findings["invalid"] = {{"rules", {{"fluency", 3}, {"overall", 0}}}};
  const auto html = written(runs);
  EXPECT_TRUE(has(html, "<th scope=\"row\">invalid/rules/fluency</th><td class=\"number\">3</td>"));
  EXPECT_FALSE(has(html, "<th scope=\"row\">invalid/rules/overall</th>"));  // zero counts are left out
}

TEST(Evaluations, CountInvalidScoresBesideWhatWasDropped) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1, 1);
  run.stages[1].findings["invalid"] = 3;
  run.stages[1].findings["reasons"] = {{"judge, fluency", 2}, {"judge, human", 1}};
  const auto html = written({run});
  EXPECT_TRUE(has(html, "<th scope=\"row\">invalid: judge, fluency</th><td class=\"number\">2</td>"));
  EXPECT_TRUE(has(html, "<th scope=\"row\">invalid: judge, human</th><td class=\"number\">1</td>"));
  EXPECT_TRUE(has(html, "<th scope=\"row\">unreadable change</th><td class=\"number\">1</td>"));
  EXPECT_FALSE(has(html, "<th scope=\"row\">invalid</th>"));  // the sum is left out
}

TEST(Evaluations, CountWhatWasDroppedForBeingInvalidOnce) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1, 3);
  run.stages[1].findings["invalid"] = 3;
  run.stages[1].findings["reasons"] = {{"unreadable change", 3}};
  EXPECT_FALSE(has(written({run}), "invalid: unreadable change"));
}

TEST(Evaluations, DrawCurvesOverRounds) {
  const auto html = written(sample::study());
  EXPECT_TRUE(has(html, "<title id=\"evaluation-1-curve-1-title\">sage: emotion over rounds</title>"));
}

TEST(Evaluations, DrawSharesAsDots) {
  auto run = sample::tested("compared", "x", 1, 50, 2, 0.1);
  run.stages[1].findings = {
      {"shares", {"win", "tie", "lose"}},
      {"a vs b",
       {{"win", sample::figure(0.5, 0.1)}, {"tie", sample::figure(0.2, 0.1)}, {"lose", sample::figure(0.3, 0.1)}}}};
  const auto html = written({run});
  EXPECT_TRUE(has(html, "<title id=\"evaluation-1-shares-title\">sage, in shares</title>")) << html;
  EXPECT_TRUE(has(html, ">a vs b</text>"));
  EXPECT_TRUE(has(html, "<title>win: 0.50 [0.40, 0.60]</title>"));
}

TEST(Evaluations, ShowJudgesByWhatTheyJudged) {
  auto run = sample::tested("accuracy", "x", 1, 50, 2, 0.1);
  auto& stage = run.stages[1];
  stage.plugin = "reward_accuracy";
  stage.settings = {{"plugin", "reward_accuracy"}, {"model", "models/judge"}, {"reads", true}};
  stage.findings = {
      {"history", {{"n", 80}, {"weighted_f1", sample::figure(0.81, 0.02)}, {"confusion", {{1, 2}, {3, 4}}}}},
      {"reply", {{"n", 80}, {"weighted_f1", sample::figure(0.7, 0.02)}}},
      {"better", {{"higher", {"weighted_f1"}}}},
      {"judges", {"abc"}}};
  auto other = run;
  other.name = "accuracy-2";
  other.stages[1].settings["model"] = "models/other";
  other.stages[1].findings["reply"]["weighted_f1"] = sample::figure(0.9, 0.02);
  const auto html = written({run, other});
  EXPECT_TRUE(has(html, "<h3>reward_accuracy</h3>"));
  EXPECT_TRUE(has(html, ">weighted f1 ↑</th>"));
  EXPECT_TRUE(has(html, ">history</th>"));
  EXPECT_TRUE(has(html, "<strong>0.900</strong> <small>0.880 to 0.920</small>")) << html;
  EXPECT_TRUE(has(html, "models/judge"));
}

TEST(Evaluations, MarkTheBestOfEvaluateRuns) {
  const auto html = written(sample::quickstart());
  EXPECT_TRUE(has(html, "<strong>0.702</strong> <small>0.682 to 0.722</small>"));
  EXPECT_TRUE(has(html, "<em>≈ 0.689</em> <small>0.669 to 0.709</small>"));  // no clear difference
  EXPECT_TRUE(has(html, ">0.561 <small>0.541 to 0.581</small>"));
  EXPECT_TRUE(
      has(html, "quickstart-eval-grpo-none-sampled <small>quickstart-grpo-none</small>"));  // the evaluated model
}

/// Returns the cells of the row that compares two models by a metric.
std::string row_of(const std::string& html, const std::string& models) {
  const size_t at = html.find("<td class=\"words\">" + models + "</td>");
  return at == std::string::npos ? "" : html.substr(at, html.find("</tr>", at) - at);
}

TEST(Evaluations, CompareTrainedModelsWithTheirStart) {
  const auto html = written(sample::quickstart());
  const auto quality = html.substr(html.find("<th scope=\"row\">quality <small>truth</small></th>"));
  // 0.141 -+ hypot(0.02, 0.02) = 0.0283
  const auto row = row_of(quality, "sft → grpo-none");
  EXPECT_TRUE(has(row, "<strong>+0.141</strong> <small>+0.113 to +0.169</small>")) << row;
  EXPECT_TRUE(has(row, ">higher</td>")) << row;
}

TEST(Evaluations, CallNothingADifferenceThatIntervalsDontSupport) {
  const auto html = written(sample::quickstart());
  const auto quality = html.substr(html.find("<th scope=\"row\">quality <small>truth</small></th>"));
  const auto row = row_of(quality, "grpo-none → grpo-redundancy");
  EXPECT_TRUE(has(row, "−0.013 <small>−0.041 to +0.015</small>")) << row;
  EXPECT_TRUE(has(row, "no clear difference")) << row;
  const auto greedy = html.substr(html.find("<h3>Greedy</h3>"));
  EXPECT_TRUE(has(row_of(greedy.substr(greedy.find(">quality <small>truth")), "sft → grpo-none"), "no clear"));
}

TEST(Evaluations, LeaveOutMetricsInWhichNothingDiffers) {
  const auto html = written(sample::quickstart());
  const auto greedy = html.substr(html.find("<h3>Greedy</h3>"));
  EXPECT_FALSE(has(greedy, "<strong>similarity in the group"));  // 0 in all greedy runs
}

TEST(Evaluations, AreComparedByTheirHeadline) {
  auto runs = sample::study();
  EXPECT_TRUE(has(written(runs), "<th scope=\"row\">mean emotion</th>"));
  for (auto& run : runs) {
    if (!run.stages.empty()) run.stages[1].findings["headline"] = "failure";
  }
  EXPECT_TRUE(has(written(runs), "<th scope=\"row\">failure</th>"));
}

TEST(Evaluations, SurviveFindingsOfAnyShape) {
  for (const nlohmann::json& findings :
       {nlohmann::json{{"columns", 3}}, nlohmann::json{{"columns", {1, "x", nullptr}}, {"x", "text"}},
        nlohmann::json{{"columns", {"x"}}, {"x", {{"value", "a"}, {"low", {}}, {"high", 1}}}},
        nlohmann::json{{"columns", nlohmann::json::array()}, {"curves", {{"a", 3}, {"b", {1, "x", nullptr}}}}},
        nlohmann::json{{"columns", {"x"}}, {"curves", 7}, {"invalid", "many"}},
        nlohmann::json{{"columns", {"x"}}, {"shares", 3}, {"better", {"x"}}},
        nlohmann::json{{"columns", {"x"}}, {"shares", {"win", 3}}}}) {
    auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
    run.stages[1].findings = findings;
    EXPECT_TRUE(has(written({run}), "<h3>sage</h3>"));
  }
}

}  // namespace
}  // namespace compeer::report
