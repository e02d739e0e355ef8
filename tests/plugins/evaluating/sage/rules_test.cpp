#include "evaluating/sage/trajectory.h"

#include <gtest/gtest.h>

namespace compeer::evaluating::sage {
namespace {

TEST(SageRules, CutChangesOnBothSidesAndPointsFromAboveOnly) {
  EXPECT_EQ(Rules::after(40, 7), 47);
  EXPECT_EQ(Rules::after(40, 11), 50);
  EXPECT_EQ(Rules::after(40, -25), 30);
  EXPECT_EQ(Rules::after(95, 10), 100);
  EXPECT_EQ(Rules::after(95, 3), 98);
  EXPECT_EQ(Rules::after(3, -10), -7) << "there is no lower end";
}

TEST(SageRules, NameStatesByTheirLowerEnds) {
  EXPECT_STREQ(Rules::state(100), "Emotion-S");
  EXPECT_STREQ(Rules::state(99), "Emotion-A");
  EXPECT_STREQ(Rules::state(70), "Emotion-A");
  EXPECT_STREQ(Rules::state(69), "Emotion-B");
  EXPECT_STREQ(Rules::state(40), "Emotion-B");
  EXPECT_STREQ(Rules::state(39), "Emotion-C");
  EXPECT_STREQ(Rules::state(10), "Emotion-C");
  EXPECT_STREQ(Rules::state(9), "Emotion-F");
  EXPECT_STREQ(Rules::state(-5), "Emotion-F");
}

TEST(SageRules, EndADialogueAtItsLimitsOrWithAGoodbye) {
  const Rules rules;
  EXPECT_EQ(rules.with(100, "好"), End::success);
  EXPECT_EQ(rules.with(10, "嗯"), End::none) << "exactly 10 is no failure";
  EXPECT_EQ(rules.with(9, "嗯"), End::failure);
  EXPECT_EQ(rules.with(30, "那就再见吧"), End::goodbye);
  EXPECT_EQ(rules.with(30, "拜拜。"), End::goodbye);
  EXPECT_EQ(rules.with(100, "再见"), End::success) << "points come before words";
  EXPECT_EQ(rules.with(30, "Goodbye."), End::none);
  const Rules english{.goodbyes = {"oodbye", ""}};
  EXPECT_EQ(english.with(30, "Goodbye."), End::goodbye);
  EXPECT_EQ(english.with(30, "再见"), End::none) << "and an empty word is none";
}

TEST(SageRules, EndADialogueWhenTheLastUtteranceIsAnswered) {
  const Rules published, paper{.rounds = 20};
  EXPECT_EQ(published.answered(9), End::none);
  EXPECT_EQ(published.answered(10), End::limit);
  EXPECT_EQ(paper.answered(10), End::none);
  EXPECT_EQ(paper.answered(20), End::limit);
}

}  // namespace
}  // namespace compeer::evaluating::sage
