#include "empathy/labels.h"

#include <gtest/gtest.h>

namespace compeer::empathy {
namespace {

TEST(Labels, EveryNameReadsBackAsItsLabel) {
  for (Stage label : stages) EXPECT_EQ(read_stage(name(label)), label);
  for (Sentiment label : sentiments) EXPECT_EQ(read_sentiment(name(label)), label);
  for (Emotion label : emotions) EXPECT_EQ(read_emotion(name(label)), label);
  for (Strategy label : strategies) EXPECT_EQ(read_strategy(name(label)), label);
}

TEST(Labels, ESConvsNamesOfStrategiesAreRead) {
  constexpr std::array names = {"Question",
                                "Restatement or Paraphrasing",
                                "Reflection of feelings",
                                "Self-disclosure",
                                "Affirmation and Reassurance",
                                "Providing Suggestions",
                                "Information",
                                "Others"};
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(read_strategy(names[i]), strategies[i]) << names[i];
}

TEST(Labels, WordingAroundALabelDoesNotMatter) {
  EXPECT_EQ(read_stage("We are now in the COMFORTING stage."), Stage::comforting);
  EXPECT_EQ(read_emotion("they feel lonely, deep loneliness"), Emotion::loneliness);
  EXPECT_EQ(read_strategy("so i will use Self-disclosure now"), Strategy::disclosure);
}

TEST(Labels, TwoDifferentLabelsAreNone) {
  EXPECT_EQ(read_stage("exploration or action"), std::nullopt);
  EXPECT_EQ(read_emotion("anger and hope"), std::nullopt);
  EXPECT_EQ(read_strategy("question then suggestion"), std::nullopt);
}

TEST(Labels, OnlyWholeWordsCount) {
  EXPECT_EQ(read_emotion("danger"), std::nullopt);
  EXPECT_EQ(read_stage("reaction"), std::nullopt);
  EXPECT_EQ(read_strategy(""), std::nullopt);
}

TEST(Labels, IntensityIsTheOneDigitFromOneToFive) {
  EXPECT_EQ(read_intensity("anger at 4 of it"), 4);
  EXPECT_EQ(read_intensity("3/5"), std::nullopt);
  EXPECT_EQ(read_intensity("14"), std::nullopt);
  EXPECT_EQ(read_intensity("6"), std::nullopt);
  EXPECT_EQ(read_intensity("none"), std::nullopt);
}

TEST(Labels, SentimentFollowsFromEmotion) {
  EXPECT_EQ(sentiment_of(Emotion::hope), Sentiment::positive);
  EXPECT_EQ(sentiment_of(Emotion::confusion), Sentiment::neutral);
  EXPECT_EQ(sentiment_of(Emotion::anger), Sentiment::negative);
}

}  // namespace
}  // namespace compeer::empathy
