#include "statistics/variety.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace compeer::statistics {
namespace {

template <class Figure>
double of(const std::vector<std::string>& texts, Figure figure) {
  std::vector<Words> words;
  for (const auto& text : texts) words.push_back(words_of(text));
  TokenizedTexts all;
  for (const auto& one : words) all.push_back(&one);
  return figure(all);
}

double distinct_in(const std::vector<std::string>& texts, int n) {
  return of(texts, [n](const TokenizedTexts& all) { return distinct(all, n); });
}
double entropy_in(const std::vector<std::string>& texts, int n) {
  return of(texts, [n](const TokenizedTexts& all) { return ngram_entropy(all, n); });
}
double bleu(const std::vector<std::string>& texts) { return of(texts, self_bleu); }
double repeated_in(const std::string& text, const std::vector<std::string>& earlier, int n) {
  return of(earlier, [&](const TokenizedTexts& all) { return repeated(words_of(text), all, n); });
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

// Half a, a quarter each b and c: 0.5 + 2 * 0.25 * 2 bits.
TEST(NgramEntropy, IsInBits) {
  EXPECT_DOUBLE_EQ(entropy_in({"a b", "a c"}, 1), 1.5);
  EXPECT_DOUBLE_EQ(entropy_in({"a b", "a c"}, 2), 1);
  EXPECT_EQ(entropy_in({"a a a"}, 1), 0);
  EXPECT_EQ(entropy_in({}, 1), 0);
}

TEST(Repeated, IsTheShareThatWasSaidBefore) {
  EXPECT_DOUBLE_EQ(repeated_in("a b c d", {"x a b", "c d"}, 2), 2.0 / 3);  // ab, cd; not bc
  EXPECT_EQ(repeated_in("a b", {}, 2), 0);
  EXPECT_TRUE(std::isnan(repeated_in("a", {"a"}, 2)));
}

TEST(SelfBleu, OfEqualTextsIsOneAndOfStrangersZero) {
  EXPECT_DOUBLE_EQ(bleu({"a b c d e", "a b c d e"}), 1);
  EXPECT_EQ(bleu({"a b c d", "e f g h"}), 0);
  EXPECT_TRUE(std::isnan(bleu({"a b c d"})));
}

// NLTK 3.9, sentence_bleu of each text against the others with SmoothingFunction().method1
TEST(SelfBleu, IsThatOfNltk) {
  EXPECT_NEAR(bleu({"i hear your anger so your nightmare has been on your mind", "i hear your sadness so we can wait",
                    "so your nightmare has been on your mind a lot", "what should we do"}),
              0.407155950091036, 1e-12);
  EXPECT_NEAR(bleu({"a b", "a b a b a b a", "a a a a"}), 0.10593055222968585, 1e-12);
}

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
}  // namespace compeer::statistics
