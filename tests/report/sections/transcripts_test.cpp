#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

std::string written(const std::vector<RunData>& runs) {
  Markup out;
  write_transcripts(out, runs, Lineage(runs));
  return out.take();
}

bool has(const std::string& html, const std::string& what) { return html.find(what) != std::string::npos; }

TEST(Transcripts, ShowWhatWasSaidWithStepsAndScores) {
  const auto html = written({sample::tested("a", "x", 1, 50, 2, 0.1)});
  EXPECT_TRUE(has(html, "<p class=\"who\">seeker</p><p class=\"reply\" dir=\"auto\">I lost my job last week.</p>"));
  EXPECT_TRUE(has(html, "<span>emotion-point <b>48</b></span>"));
  EXPECT_TRUE(has(html, "<span class=\"tag\">strategy</span> question</p>"));
  EXPECT_TRUE(has(html, "<span>rules/fluency <b>4</b></span>"));
  EXPECT_TRUE(has(html, "<span>emo_point <b>48</b></span>"));
}

TEST(Transcripts, AreTheFirstThatAllRunsKept) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1)};
  runs[1].transcripts.erase(runs[1].transcripts.begin());  // the first was dropped
  const auto html = written(runs);
  EXPECT_FALSE(has(html, "esc_world/test/0<"));
  EXPECT_TRUE(has(html, "<b>esc_world/test/1</b>"));
  EXPECT_TRUE(has(html, "That sounds heavy, b."));
  EXPECT_TRUE(has(html, "The first 6 dialogues that the runs kept, in the order of the data;"));
}

TEST(Transcripts, SayWhichRunLacksOne) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1)};
  runs[0].transcripts.resize(1);
  runs[1].transcripts.erase(runs[1].transcripts.begin());
  EXPECT_TRUE(has(written(runs), "This run kept no such dialogue."));
}

TEST(Transcripts, OfOtherDataStandApart) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1),
                               sample::tested("c", "z", 1, 50, 2, 0.1)};
  runs[2].spec["dataset"] = {{"plugin", "profiles"}, {"path", "other.jsonl"}};
  for (auto& record : runs[2].transcripts) record["id"] = "other/" + record["id"].get<std::string>();
  const auto html = written(runs);
  EXPECT_TRUE(has(html, "<h3>sage: a and 1 more</h3>")) << html;
  EXPECT_TRUE(has(html, "<h3>sage: c</h3>"));
  EXPECT_TRUE(has(html, "<b>other/esc_world/test/0</b>"));
  EXPECT_FALSE(has(html, "no such dialogue"));
}

TEST(Transcripts, OfTheSameDialoguesStandTogetherWhateverFileTheyCameFrom) {
  std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1), sample::tested("b", "y", 1, 50, 2, 0.1)};
  runs[1].spec["dataset"] = {{"plugin", "profiles"}, {"path", "results/b/stages/01-sage.jsonl"}};
  EXPECT_TRUE(has(written(runs), "<h3>sage</h3>"));
}

TEST(Transcripts, TakeTheEmotionFromSagesOwnLayout) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  run.transcripts.resize(1);
  auto& record = run.transcripts[0];
  for (auto& turn : record["turns"]) {
    turn.erase("emotion-point");
    record["history"].push_back({{"role", turn["role"]}, {"content", turn["text"]}});
  }
  record["history"][2]["emotion-point"] = 37;
  EXPECT_TRUE(has(written({run}), "<span>emotion-point <b>37</b></span>"));
}

TEST(Transcripts, SurviveRecordsOfAnyShape) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  run.transcripts = {{{"turns", {1, "x", nullptr, {{"role", 3}, {"text", {}}, {"steps", "none"}}}}},
                     {{"id", 7}, {"turns", nlohmann::json::array()}, {"scores", {1, 2}}},
                     {{"id", "<b>"}, {"turns", {{{"role", "user"}, {"text", "<script>"}}}}}};
  const auto html = written({run});
  EXPECT_TRUE(has(html, "&lt;script&gt;"));
  EXPECT_TRUE(has(html, "(nothing was said)"));
}

}  // namespace
}  // namespace compeer::report
