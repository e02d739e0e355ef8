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
  EXPECT_TRUE(has(html, "what was not scored, and why"));
  EXPECT_TRUE(has(html,
                  "<th scope=\"row\">unreadable change</th><td class=\"number\">0</td><td class=\"number\">0</td>"
                  "<td class=\"number\">6</td>"));
  const auto told = notices(sample::study());
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[1], "sage-urp-seed_2, 01-sage: 2 of 100 records were not scored.");
}

TEST(Evaluations, OfVeryManyTellTheSumAndTheWorst) {
  std::vector<RunData> runs;
  for (int i = 1; i <= 7; ++i)
    runs.push_back(sample::tested("run-" + std::to_string(i), "x", 1, 50 + i, 2, 0.1, i == 4 ? 9 : 1));
  EXPECT_EQ(notices(runs), std::vector<std::string>{"In 7 tests 15 of 700 records were not scored; most in run-4, "
                                                    "01-sage: 9 of 100 records were not scored."});
}

TEST(Evaluations, CountWhatFindingsCallInvalid) {
  auto runs = std::vector{sample::tested("a", "x", 1, 50, 2, 0.1)};
  runs[0].stages[1].findings["invalid"] = {{"rules", {{"fluency", 3}, {"overall", 0}}}};
  const auto html = written(runs);
  EXPECT_TRUE(has(html, "<th scope=\"row\">invalid/rules/fluency</th><td class=\"number\">3</td>"));
  EXPECT_FALSE(has(html, "<th scope=\"row\">invalid/rules/overall</th>"));  // none, so no reason
}

/// A run whose judges gave 18 of 21 scores, of three dialogues; a fourth was dropped.
RunData judged_in_part(const std::string& name) {
  auto run = sample::tested(name, "x", 1, 50, 2, 0.1, 1);
  run.stages[1].findings["scores"] = 21;
  run.stages[1].findings["invalid"] = 3;
  run.stages[1].findings["reasons"] = {{"judge, fluency", 2}, {"judge, human", 1}};
  return run;
}

TEST(Evaluations, CountInvalidScoresBesideWhatWasDropped) {
  const auto html = written({judged_in_part("a")});
  EXPECT_TRUE(has(html, "<th scope=\"row\">invalid: judge, fluency</th><td class=\"number\">2</td>"));
  EXPECT_TRUE(has(html, "<th scope=\"row\">invalid: judge, human</th><td class=\"number\">1</td>"));
  EXPECT_TRUE(has(html, "<th scope=\"row\">unreadable change</th><td class=\"number\">1</td>"));
  EXPECT_FALSE(has(html, "<th scope=\"row\">invalid</th>"));  // their sum
}

TEST(Evaluations, CountWhatWasDroppedForBeingInvalidOnce) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1, 3);
  run.stages[1].findings["invalid"] = 3;
  run.stages[1].findings["reasons"] = {{"unreadable change", 3}};
  EXPECT_FALSE(has(written({run}), "invalid: unreadable change"));
  EXPECT_EQ(notices({run}), std::vector<std::string>{"a, 01-sage: 3 of 100 records were not scored."});
}

TEST(Evaluations, NameTestsWithInvalidScores) {
  auto silent = judged_in_part("silent"), old = judged_in_part("old");
  for (auto* run : {&silent, &old}) run->stages[1].left_out = 0, run->stages[1].dropped.clear();
  old.stages[1].findings.erase("scores");
  EXPECT_EQ(notices({silent, old}), (std::vector<std::string>{"silent, 01-sage: 3 of 21 scores are invalid.",
                                                              "old, 01-sage: 3 scores are invalid."}));
  const auto many = notices(std::vector<RunData>(7, silent));
  EXPECT_EQ(many, std::vector<std::string>{"In 7 tests 21 of 147 scores are invalid; most in silent, 01-sage: 3 of 21 "
                                           "scores are invalid."});
}

TEST(Evaluations, DrawCurvesOverRounds) {
  const auto html = written(sample::study());
  EXPECT_TRUE(has(html, "<title id=\"stage-1-curve-1-title\">sage: emotion over rounds</title>"));
  EXPECT_TRUE(has(html, "sage-por: 40 in round 0, 60 in round 4."));
}

TEST(Evaluations, DrawSharesAsBars) {
  auto run = sample::tested("compared", "x", 1, 50, 2, 0.1);
  run.stages[1].findings = {
      {"shares", {"win", "tie", "lose"}},
      {"a vs b",
       {{"win", sample::figure(0.5, 0.1)}, {"tie", sample::figure(0.2, 0.1)}, {"lose", sample::figure(0.3, 0.1)}}}};
  const auto html = written({run});
  EXPECT_TRUE(has(html, "<title id=\"stage-1-shares-title\">sage, in shares</title>")) << html;
  EXPECT_TRUE(has(html, "a vs b, compared: win 50 %, tie 20 %, lose 30 %."));
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
  EXPECT_TRUE(has(html, "<em>≈ 0.689</em> <small>0.669 to 0.709</small>"));  // can't be told from it
  EXPECT_TRUE(has(html, ">0.561 <small>0.541 to 0.581</small>"));
  EXPECT_TRUE(
      has(html, "quickstart-eval-grpo-none-sampled <small>quickstart-grpo-none</small>"));  // the model it is of
}

TEST(Evaluations, TheFindingsNameTheBest) {
  const auto runs = sample::study();
  const auto all = findings(runs, Lineage(runs));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].heading, "sage");
  EXPECT_EQ(all[0].sentences[0],
            "mean emotion: best is urp with 65.0 [62.5, 67.5]; por: −5.0 [−5.0, −5.0]; sft: −22.0 [−22.0, −22.0].");
}

TEST(Evaluations, ThatCannotBeRankedAreListedInTheFindings) {
  auto runs = std::vector{sample::tested("a", "x", 1, 50, 2, 0.1)};
  const auto sentence = [&] { return findings(runs, Lineage(runs)).at(0).sentences.at(0); };
  EXPECT_EQ(sentence(), "mean emotion: 50.0 [48.0, 52.0] (a).");
  runs.push_back(sample::tested("b", "y", 1, 50, 2, 0.1));
  EXPECT_EQ(sentence(), "mean emotion: 50.0 [48.0, 52.0] (a); 50.0 [48.0, 52.0] (b).");
  runs[1] = sample::tested("b", "y", 1, 60, 2, 0.1);
  for (auto& run : runs) run.stages[1].findings.erase("better");
  EXPECT_NE(sentence().find("50.0 [48.0, 52.0] (a)"), std::string::npos) << sentence();
}

TEST(Evaluations, AreRankedInTheFindingsByTheirHeadline) {
  auto runs = sample::study();
  for (auto& run : runs) {
    if (!run.stages.empty()) run.stages[1].findings["headline"] = "failure";
  }
  const auto all = findings(runs, Lineage(runs));
  EXPECT_TRUE(has(all[0].sentences[0], "failure: best is por with 0.05")) << all[0].sentences[0];
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
