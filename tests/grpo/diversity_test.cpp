#include "grpo/diversity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace compeer::grpo {
namespace {

double distinct_in(const std::vector<std::string>& texts, int n) {
  std::vector<Words> words;
  for (const auto& text : texts) words.push_back(words_of(text));
  std::vector<const Words*> all;
  for (const auto& one : words) all.push_back(&one);
  return distinct(all, n);
}

double similarity(const std::vector<std::string>& texts) {
  std::vector<Words> words;
  for (const auto& text : texts) words.push_back(words_of(text));
  return self_similarity(words);
}

TEST(Words, AreRunsBetweenWhiteSpace) {
  const Words words = words_of(" a\tb  a\n");
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0], words[2]);
  EXPECT_NE(words[0], words[1]);
  EXPECT_TRUE(words_of(" \r\n\v\f").empty());
}

TEST(Distinct, CountsDifferentNgramsOverAll) {
  EXPECT_DOUBLE_EQ(distinct_in({"a b a b"}, 1), 2.0 / 4.0);
  EXPECT_DOUBLE_EQ(distinct_in({"a b a b"}, 2), 2.0 / 3.0);  // ab, ba, ab
}

TEST(Distinct, CountsOverAllTextsTogetherButNotAcrossThem) {
  EXPECT_DOUBLE_EQ(distinct_in({"a b", "a b"}, 2), 1.0 / 2.0);
  EXPECT_DOUBLE_EQ(distinct_in({"a", "b"}, 2), 0.0);
}

TEST(Distinct, TellsOrderAndBorders) {
  EXPECT_DOUBLE_EQ(distinct_in({"a b", "b a"}, 2), 1.0);
  EXPECT_DOUBLE_EQ(distinct_in({"ab c", "a bc"}, 2), 1.0);
}

TEST(Distinct, OfNothingIsZero) { EXPECT_DOUBLE_EQ(distinct_in({}, 1), 0.0); }

TEST(SelfSimilarity, OfEqualTextsIsExactlyOne) {
  EXPECT_EQ(similarity({"so it was so", "so it was so", "so  it was so"}), 1.0);
}

// Counts over {a, b, c, ab, bc}: "a b" has (1, 1, 0, 1, 0), "a b c" (1, 1, 1, 1, 1), "a a" (2, 0, 0, 0, 0) and "aa"
// once: products 3, 2, 2; squares 3, 5, 5.
TEST(SelfSimilarity, IsTheMeanCosineOfWordsAndPairsOverPairsOfTexts) {
  EXPECT_DOUBLE_EQ(similarity({"a b", "a b c"}), 3 / std::sqrt(3.0 * 5));
  EXPECT_DOUBLE_EQ(similarity({"a b", "a b c", "a a"}),
                   (3 / std::sqrt(3.0 * 5) + 2 / std::sqrt(3.0 * 5) + 2 / std::sqrt(5.0 * 5)) / 3);
}

TEST(SelfSimilarity, IsZeroWithoutACommonWordAndForEmptyTexts) {
  EXPECT_EQ(similarity({"a b", "c d"}), 0.0);
  EXPECT_EQ(similarity({"", ""}), 0.0);
}

TEST(SelfSimilarity, NeedsAPair) { EXPECT_TRUE(std::isnan(similarity({"a"}))); }

}  // namespace
}  // namespace compeer::grpo
