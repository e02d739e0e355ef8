#include "evaluating/sage/answers.h"

#include <gtest/gtest.h>

namespace compeer::evaluating::sage {
namespace {

int64_t change(const std::string& answer) {
  const auto read = read_planning(answer);
  return read ? read->change : -999;
}

TEST(SagePlanning, HasFiveSections) {
  const auto read = read_planning(
      "Content: They ask\nfor more.\nTargetCompletion: [No]\nActivity: Hm.\nAnalyse: Bored: a bit.\nChange: -5\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->content, "They ask\nfor more.");
  EXPECT_EQ(read->target_completion, "No");
  EXPECT_EQ(read->activity, "Hm.");
  EXPECT_EQ(read->analyse, "Bored: a bit.");
  EXPECT_EQ(read->change, -5);
  EXPECT_EQ(shown(*read),
            "Content: They ask\nfor more.\nTargetCompletion: No\nActivity: Hm.\nAnalyse: Bored: a bit.\nChange: -5");
}

TEST(SagePlanning, IsReadHoweverItIsDecorated) {
  EXPECT_EQ(change("**Change**：+10"), 10);
  EXPECT_EQ(change("**Change：** 5 points"), 5);
  EXPECT_EQ(change("Change:\n[-10]"), -10);
  EXPECT_EQ(change("```json\n{\"Activity\": \"a\", \"Change\": 3}\n```"), 3);
  EXPECT_EQ(change("Change: −4"), -4) << "a minus sign, no hyphen";
  EXPECT_EQ(change("Change: －4"), -4);
  EXPECT_EQ(change("<think>Change: 9</think>\nChange: 2"), 2);
  EXPECT_EQ(read_planning("Analyse：好\nChange：5")->analyse, "好");
}

TEST(SagePlanning, TakesTheFirstNumberOfTheLastChange) {
  EXPECT_EQ(change("Change: 1\nContent: x\nChange: 2, of 10"), 2);
  EXPECT_EQ(change("Change: from 5-10"), 5);
  EXPECT_EQ(change("Change: 99999999999999999999999"), 1000000) << "cut by the rules, not here";
}

TEST(SagePlanning, IsNothingWithoutANumber) {
  EXPECT_EQ(change(""), -999);
  EXPECT_EQ(change("I feel 5 better."), -999);
  EXPECT_EQ(change("Change: better"), -999);
  EXPECT_EQ(change("Change 5"), -999) << "no colon";
  EXPECT_EQ(change("Change: \nContent: 5"), -999) << "another section's number";
}

TEST(SageSaid, IsWhatFollowsTheLastResponse) {
  const auto read = read_said("Thinking: Calm.\nOrigin: Well...\nChange: shorter\nResponse: no\nResponse: Well.");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, "Well.");
  EXPECT_EQ(read->thinking, "Calm.");
  EXPECT_EQ(read_said("**Response:** Well.")->text, "Well.");
  EXPECT_EQ(read_said("Response：\n[“好吧。”]\n")->text, "好吧。");
  EXPECT_EQ(read_said("Response: I said “no” to him.\nTwice.")->text, "I said “no” to him.\nTwice.");
}

TEST(SageSaid, IsNothingWithoutAWord) {
  EXPECT_FALSE(read_said("Well."));
  EXPECT_FALSE(read_said("Response: []\n"));
  EXPECT_FALSE(read_said("<think>Response: a</think> no"));
}

}  // namespace
}  // namespace compeer::evaluating::sage
