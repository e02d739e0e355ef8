#include "evaluating/esc_eval/summary.h"

#include <gtest/gtest.h>

namespace compeer::evaluating::esc_eval {
namespace {

using nlohmann::json;
constexpr auto none = std::nullopt;

DialogueScores all(std::optional<int> score) {
  DialogueScores scores;
  scores.fill(score);
  return scores;
}

class Summary : public testing::Test {
 protected:
  void add(const json& record, const ScoresByJudge& judged) {
    Outcome outcome;
    count(record, judged, outcome);
    for (const auto& [name, value] : outcome.counts) counts[name] += value;
  }
  json made() const { return summary(counts, {.resamples = 50}); }
  std::map<std::string, double> counts;
};

double value(const json& figure) { return figure.at("value"); }

TEST_F(Summary, IsTheMeanOfScoresTimes25) {
  add({{"id", "a"}}, {{"judge", {3, 3, 3, 3, 1, 3, 2}}});
  add({{"id", "b"}}, {{"judge", {3, 3, 3, 3, 2, 3, 2}}});
  add({{"id", "c"}}, {{"judge", {3, 3, 3, 3, 0, 3, 2}}});
  add({{"id", "d"}}, {{"judge", {2, 3, 3, 3, 4, 3, 2}}});
  const json found = made();
  EXPECT_EQ(found.at("n"), 4);
  EXPECT_EQ(value(found.at("fluency")), 25 * 11 / 4.0);
  EXPECT_EQ(value(found.at("human")), 25 * 7 / 4.0);
  EXPECT_EQ(value(found.at("overall")), 50);
  EXPECT_EQ(found.at("human").at("n"), 4);
  EXPECT_LT(found.at("human").at("low"), 43.75);
  EXPECT_GT(found.at("human").at("high"), 43.75);
  EXPECT_EQ(found.at("overall").at("low"), 50) << "never varies";
  // (68.75 + 75 + 75 + 75 + 43.75 + 75 + 50) / 7
  EXPECT_NEAR(value(found.at("average")), 462.5 / 7, 1e-12);
  EXPECT_EQ(found.at("columns"),
            (json{"fluency", "diversity", "empathic", "suggestion", "human", "tech", "overall", "average"}));
  EXPECT_EQ(found.at("titles"),
            (json{"Fluency", "Expression", "Empathy", "Information", "Humanoid", "Skillful", "Overall", "Average"}));
  EXPECT_EQ(found.at("invalid"), 0);
  EXPECT_FALSE(found.contains("agreement"));
}

TEST_F(Summary, LeavesOutWhatIsInvalidAndCountsIt) {
  add({{"id", "a"}}, {{"judge", {4, 2, 2, 2, 2, 2, 2}}});
  add({{"id", "b"}}, {{"judge", {none, 2, 2, 2, 2, 2, none}}});
  add({{"id", "c"}}, {{"judge", {none, 2, 2, 2, 2, 2, 0}}});
  const json found = made();
  EXPECT_EQ(found.at("n"), 3);
  EXPECT_EQ(value(found.at("fluency")), 100);
  EXPECT_EQ(found.at("fluency").at("n"), 1);
  EXPECT_EQ(value(found.at("overall")), 25);
  EXPECT_EQ(found.at("average").at("n"), 1) << "as few as in the dimension that has the fewest";
  EXPECT_EQ(found.at("scores"), 21) << "3 dialogues, a judge, 7 dimensions";
  EXPECT_EQ(found.at("invalid"), 3);
  EXPECT_EQ(found.at("reasons"), (json{{"judge, fluency", 2}, {"judge, overall", 1}}));
  EXPECT_EQ(counts.at("invalid: judge, fluency"), 2) << "for those who read the stage's counts";
}

TEST_F(Summary, WithoutAnyScoreHasNull) {
  add({{"id", "a"}}, {{"judge", all(none)}});
  const json found = made();
  EXPECT_TRUE(found.at("fluency").at("value").is_null());
  EXPECT_TRUE(found.at("average").at("value").is_null());
  EXPECT_EQ(found.at("invalid"), 7);
  EXPECT_EQ(found.at("n"), 0);
  EXPECT_EQ(summary({}, {}).at("n"), 0);
}

TEST_F(Summary, GivesJudgesTheSameWeight) {
  // The second judge has a score of one dialogue alone: (100 + 50) / 2 and 25, not (100 + 50 + 25) / 3.
  add({{"id", "a"}}, {{"judge", all(4)}, {"second_judge", all(1)}});
  add({{"id", "b"}}, {{"judge", all(2)}, {"second_judge", all(none)}});
  const json found = made();
  EXPECT_EQ(value(found.at("tech")), 50);
  EXPECT_EQ(value(found.at("judges").at("judge").at("tech")), 75);
  EXPECT_EQ(value(found.at("judges").at("second_judge").at("tech")), 25);
  EXPECT_EQ(found.at("judges").at("second_judge").at("tech").at("n"), 1);
  EXPECT_EQ(found.at("invalid"), 7);
}

// Four dialogues by one judge, of which another has two: 7 scores of each of the others are missing.
TEST_F(Summary, CountsWhatASecondJudgeLeavesOut) {
  for (const char* id : {"a", "b", "c", "d"}) add({{"id", id}}, {{"judge", all(4)}});
  for (const char* id : {"b", "d"}) add({{"id", id}}, {{"second_judge", all(0)}});
  const json found = made();
  EXPECT_EQ(found.at("n"), 4);
  EXPECT_EQ(found.at("judges").at("judge").at("n"), 4);
  EXPECT_EQ(found.at("judges").at("second_judge").at("n"), 2);
  EXPECT_EQ(found.at("invalid"), 14);
  EXPECT_EQ(found.at("reasons").size(), 7u);
  EXPECT_EQ(found.at("reasons").at("second_judge, fluency"), 2);
}

TEST_F(Summary, TellsHowTwoJudgesAgree) {
  const int first[] = {4, 3, 3, 0}, second[] = {4, 3, 2, 1};
  for (int i = 0; i < 4; ++i)
    add({{"id", std::string(1, static_cast<char>('a' + i))}},
        {{"judge", all(first[i])}, {"second_judge", all(second[i])}});
  add({{"id", "e"}}, {{"judge", all(4)}, {"second_judge", all(none)}});
  const json agreement = made().at("agreement").at("human");
  EXPECT_EQ(agreement.at("n"), 4) << "pairs";
  EXPECT_EQ(value(agreement.at("equal")), 0.5);
  EXPECT_EQ(value(agreement.at("difference")), 0);
  // Squared distances: seen 0 + 0 + 1 + 1 = 2. By chance the mean over all pairs, times 4:
  // 4: 0 1 4 9, 3: 1 0 1 4 (twice), 0: 16 9 4 1; (14 + 6 + 6 + 30) / 4 = 14. kappa = 1 - 2 / 14.
  EXPECT_NEAR(agreement.at("kappa").get<double>(), 1 - 2.0 / 14, 1e-12);
}

TEST_F(Summary, IsMadeByLanguageSourceAndCategory) {
  add({{"id", "a"}, {"language", "en"}, {"source", "x"}, {"res", "家庭\n生活"}}, {{"judge", all(4)}});
  add({{"id", "b"}, {"language", "zh"}, {"source", "x"}, {"category", "work"}}, {{"judge", all(2)}});
  add({{"id", "c"}, {"language", "zh"}, {"source", ""}}, {{"judge", all(1)}});
  const json found = made();
  EXPECT_EQ(value(found.at("languages").at("zh").at("tech")), 37.5);
  EXPECT_EQ(found.at("languages").at("zh").at("n"), 2);
  EXPECT_EQ(value(found.at("sources").at("x").at("tech")), 75);
  EXPECT_EQ(found.at("sources").size(), 1u);
  EXPECT_EQ(value(found.at("categories").at("家庭 生活").at("tech")), 100);
  EXPECT_EQ(value(found.at("categories").at("work").at("tech")), 50);
}

}  // namespace
}  // namespace compeer::evaluating::esc_eval
