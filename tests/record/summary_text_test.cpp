#include "record/summary_text.h"

#include <gtest/gtest.h>

namespace compeer::record {
namespace {

using nlohmann::json;

json figure(double value, double low, double high) { return {{"value", value}, {"low", low}, {"high", high}}; }

TEST(FindingsText, IsATableOfTheColumnsForAllAndForEachGroup) {
  const json group = {{"n", 3}, {"points", figure(1, 0, 2.5)}, {"share", figure(0.125, 0, 1)}};
  json findings = group;
  findings.update({{"n", 10},
                   {"columns", {"points", "share"}},
                   {"kinds", {{"安静", group}, {"loud", group}}},
                   {"invalid", 2},
                   {"ends", {{"limit", 4}, {"goodbye", 1}}},
                   {"curves", {{"points", {{{"value", 40.0}}, {{"value", 1.256}}}}}}});
  EXPECT_EQ(findings_text(findings),
            "              n  points             share\n"
            "all          10  1.00 [0.00, 2.50]  0.12 [0.00, 1.00]\n"
            "kinds: loud   3  1.00 [0.00, 2.50]  0.12 [0.00, 1.00]\n"
            "kinds: 安静   3  1.00 [0.00, 2.50]  0.12 [0.00, 1.00]\n"
            "\n"
            "ends: goodbye 1, limit 4\n"
            "invalid: 2\n"
            "points: 40.00 1.26\n");
}

TEST(FindingsText, IsATableOfPairsWhereTheyHaveShares) {
  const json findings = {
      {"n", 4},
      {"shares", {"win", "lose"}},
      {"pairs", {{"a vs b", {{"n", 4}, {"win", figure(0.75, 0.5, 1)}, {"lose", figure(0.25, 0, 0.5)}}}}},
      {"models", {{"a", {{"strength", figure(0.5, 0, 1)}}}}}};
  EXPECT_EQ(findings_text(findings),
            "               n  win                lose               strength\n"
            "models: a                                               0.50 [0.00, 1.00]\n"
            "pairs: a vs b  4  0.75 [0.50, 1.00]  0.25 [0.00, 0.50]\n"
            "\n");
}

TEST(FindingsText, TellsWhatHasNoNumber) {
  const json none = {{"value", nullptr}, {"low", nullptr}, {"high", nullptr}};
  EXPECT_EQ(findings_text({{"n", 0}, {"columns", {"points"}}, {"points", none}}),
            "     n  points\n"
            "all  0  none\n"
            "\n");
  EXPECT_EQ(findings_text({{"n", 3}, {"kappa", figure(0.5, 0.25, 0.75)}}), "kappa: 0.50 [0.25, 0.75]\n")
      << "without columns there is no table";
  EXPECT_EQ(findings_text(json::object()), "");
}

json stage(const std::string& name, int64_t in, int64_t out) {
  return {{"stage", name},
          {"in", in},
          {"out", out},
          {"reused", false},
          {"dropped", json::object()},
          {"counts", json::object()},
          {"chats", {{"asked", 0}, {"known", 0}, {"failed", 0}, {"prompt_tokens", 0}, {"completion_tokens", 0}}}};
}

TEST(StagesText, SaysWhyRecordsEndedAndWhatChatModelsWereAsked) {
  json filter = stage("01-filter", 200, 154);
  filter["dropped"] = {{"incoherent", 20}, {"artificial", 26}};
  filter["counts"] = {{"answers that could not be read", 3.0}, {"share", 0.5}};
  filter["chats"] = {{"asked", 203}, {"known", 5}, {"failed", 1}, {"prompt_tokens", 12345}, {"completion_tokens", 400}};
  json made_before = stage("00-esc_world", 200, 200);
  made_before["reused"] = true;
  EXPECT_EQ(
      stages_text({{"stages", {made_before, filter}}}),
      "stage                in       out   dropped\n"
      "00-esc_world        200       200         0  (reused)\n"
      "01-filter           200       154        46\n"
      "  dropped: artificial 26, incoherent 20\n"
      "  counted: answers that could not be read 3, share 0.5\n"
      "  chat models: asked 203, from stored answers 5, unanswered 1; tokens: 12345 in prompts, 400 in answers\n");
}

TEST(StagesText, SaysWhatTheStageAndTheWholeRunCost) {
  json filter = stage("01-filter", 2, 2);
  filter["chats"] = {{"asked", 2}, {"prompt_tokens", 10}, {"completion_tokens", 4}, {"cost", 0.25}};
  const json all = {
      {"large", {{"requests", 3}, {"failed", 1}, {"prompt_tokens", 15}, {"completion_tokens", 6}, {"cost", 0.5}}}};
  const auto text = stages_text({{"stages", {filter}}, {"chats", all}});
  EXPECT_NE(text.find("tokens: 10 in prompts, 4 in answers; cost 0.2500\n"), std::string::npos) << text;
  EXPECT_TRUE(
      text.ends_with("\nsent to large in all: 3 requests, 1 failed; 15 prompt tokens, 6 answer tokens; cost 0.5000\n"))
      << text;
}

TEST(StagesText, DoesNotListCountsWithoutEnd) {
  json annotate = stage("04-annotate", 2, 2);
  for (int i = 0; i < 9; ++i) annotate["counts"]["pair " + std::to_string(i)] = 1.0;
  EXPECT_NE(stages_text({{"stages", {annotate}}}).find("  counted: 9 counts, listed in summary.json\n"),
            std::string::npos);
}

// The summary may come from an untrusted source.
TEST(StagesText, LeavesNamesNoControlCharactersAndNumbersWhole) {
  json odd = stage("01-\x1b[2J", 1, 1);
  odd["counts"] = {{"many", 1e300}};
  EXPECT_EQ(stages_text({{"stages", {odd}}}),
            "stage              in       out   dropped\n"
            "01-\\x1b[2J          1         1         0\n"
            "  counted: many 1e+300\n");
  odd["in"] = 1e300;
  EXPECT_THROW(stages_text({{"stages", {odd}}}), json::exception);
}

TEST(StagesText, IsEmptyForOtherRuns) {
  EXPECT_EQ(stages_text(nullptr), "");
  EXPECT_EQ(stages_text({{"other", 1}}), "");
}

}  // namespace
}  // namespace compeer::record
