#include "statistics/variety.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/random.h"
#include "places.h"
#include "statistics/kmeans.h"

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
  return of(earlier, [&](const TokenizedTexts& all) { return repeated_fraction(words_of(text), all, n); });
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

// Half a, a quarter b, a quarter c: 0.5 + 2 * 0.25 * 2 bits.
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

// Expected: NLTK 3.9, sentence_bleu of each text against the others with SmoothingFunction().method1
TEST(SelfBleu, IsThatOfNltk) {
  EXPECT_NEAR(bleu({"i hear your anger so your nightmare has been on your mind", "i hear your sadness so we can wait",
                    "so your nightmare has been on your mind a lot", "what should we do"}),
              0.407155950091036, 1e-12);
  EXPECT_NEAR(bleu({"a b", "a b a b a b a", "a a a a"}), 0.10593055222968585, 1e-12);
}

TEST(SelfSimilarity, OfEqualTextsIsExactlyOne) {
  EXPECT_EQ(similarity({"so it was so", "so it was so", "so  it was so"}), 1.0);
}

// Counts over {a, b, c, ab, bc}: "a b" has (1, 1, 0, 1, 0), "a b c" (1, 1, 1, 1, 1), "a a" (2, 0, 0, 0, 0) and once
// "aa": products 3, 2, 2; squares 3, 5, 5.
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

using nlohmann::json;

TEST(KMeans, FindsWhatTheReferenceFinds) {
  std::ifstream file(COMPEER_SOURCE_DIR "/tests/golden/metrics/kmeans.json");
  const json golden = json::parse(file);
  const auto points = golden.at("points").get<Points>();
  for (const json& run : golden.at("runs")) {
    const auto found = lloyd(points, run.at("init").get<Points>());
    const auto k = run.at("k").get<int>();
    EXPECT_EQ(found.labels, run.at("labels").get<std::vector<size_t>>()) << k;
    EXPECT_EQ(found.iterations, run.at("iterations").get<int64_t>()) << k;
    EXPECT_NEAR(found.inertia, run.at("inertia").get<double>(), 1e-9 * found.inertia) << k;
    const auto centres = run.at("centres").get<Points>();
    for (size_t c = 0; c < centres.size(); ++c) {
      for (size_t d = 0; d < centres[c].size(); ++d) EXPECT_NEAR(found.centres[c][d], centres[c][d], 1e-12);
    }
  }
}

double uniform_of(uint32_t attempt, uint32_t draw) { return uniform(7, Stream::plugin, attempt, draw); }

// Four well-separated groups of three points.
Points groups() {
  Points points;
  for (double x : {0.0, 100.0}) {
    for (double y : {0.0, 100.0}) {
      for (double shift : {0.0, 1.0, 2.0}) points.push_back({x + shift, y});
    }
  }
  return points;
}

TEST(KMeans, FindsGroupsThatAreApartAndTheirElbow) {
  std::vector<double> inertias;
  for (size_t k = 1; k <= 8; ++k) inertias.push_back(kmeans(groups(), k, 20, uniform_of).inertia);
  EXPECT_DOUBLE_EQ(inertias[3], 8);  // per group: 1 + 0 + 1
  EXPECT_EQ(elbow(inertias), 4u);
  const auto four = kmeans(groups(), 4, 20, uniform_of);
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(four.labels[i], four.labels[i / 3 * 3]);
}

TEST(KMeans, OneGroupForEachPointHasNoError) { EXPECT_EQ(kmeans(groups(), 12, 3, uniform_of).inertia, 0); }

TEST(KMeans, EqualPointsDoNotTroubleIt) {
  const Points same(5, {1.0, 2.0});
  const auto found = kmeans(same, 3, 2, uniform_of);
  EXPECT_EQ(found.inertia, 0);
  EXPECT_EQ(found.centres.size(), 3u);
}

TEST(KMeans, ACentreWithoutPointsMovesToTheFarthestPoint) {
  const Points line = {{0}, {1}, {2}, {50}};
  const auto found = lloyd(line, {{1}, {1000}});
  EXPECT_EQ(found.labels, (std::vector<size_t>{0, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(found.inertia, 2);
}

TEST(KMeans, FirstCentreIsAnyPointAndTheOthersAreFarFromIt) {
  // Points {0, 0, 10}: with a first centre at 0 the second is always at 10, because the others have distance 0.
  const Points points = {{0}, {0}, {10}};
  for (uint32_t attempt = 0; attempt < 50; ++attempt) {
    const auto centres = kmeans_plus_plus(points, 2, attempt, uniform_of);
    EXPECT_NE(centres[0], centres[1]);
  }
}

TEST(Elbow, IsThePointFarthestBelowTheChord) {
  // Scaled: (0, 1), (1/3, .2), (2/3, .1), (1, 0): below the chord by 0, 7/15, 7/30, 0.
  EXPECT_EQ(elbow({11, 3, 2, 1}), 2u);
  EXPECT_EQ(elbow({3, 2, 1}), 3u) << "a straight line has none";
  EXPECT_EQ(elbow({5, 1}), 2u);
  EXPECT_EQ(elbow({5}), 1u);
  EXPECT_EQ(elbow({0, 0, 0}), 3u);
}

}  // namespace
}  // namespace compeer::statistics
