#include "statistics/classification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "statistics/agreement.h"
#include "statistics/logistic.h"

namespace compeer::statistics {
namespace {

TEST(Classification, IsWhatAHandWorksOut) {
  // Rows are the truth. False: 3 of 4 found (recall), 3 of 5 right (precision); True: 6 of 8 found, 6 of 7 right.
  const auto result = classification({{3, 1}, {2, 6}});
  EXPECT_EQ(result.n, 12u);
  EXPECT_EQ(result.support, (std::vector<size_t>{4, 8}));
  EXPECT_DOUBLE_EQ(result.accuracy, 9.0 / 12);
  EXPECT_DOUBLE_EQ(result.classes[0].recall, 3.0 / 4);
  EXPECT_DOUBLE_EQ(result.classes[0].precision, 3.0 / 5);
  EXPECT_DOUBLE_EQ(result.classes[0].f1, 6.0 / 9);
  EXPECT_DOUBLE_EQ(result.classes[1].f1, 12.0 / 15);
  EXPECT_DOUBLE_EQ(result.macro.f1, (6.0 / 9 + 12.0 / 15) / 2);
  EXPECT_DOUBLE_EQ(result.weighted.f1, (4 * 6.0 / 9 + 8 * 12.0 / 15) / 12);
  EXPECT_DOUBLE_EQ(result.micro.precision, 9.0 / 12);
  EXPECT_DOUBLE_EQ(result.balanced_accuracy, 0.75);
  EXPECT_NEAR(result.matthews, (3 * 6 - 1 * 2) / std::sqrt(4.0 * 8 * 5 * 7), 1e-15);
}

TEST(Classification, DividesByZeroToZero) {
  const auto absent = classification({{0, 0}, {2, 1}});
  EXPECT_EQ(absent.classes[0].recall, 0);
  EXPECT_DOUBLE_EQ(absent.balanced_accuracy, 1.0 / 3);
  EXPECT_EQ(absent.matthews, 0);
  EXPECT_EQ(classification({}).accuracy, 0);
}

TEST(Classification, CountsPairsOfLabels) {
  EXPECT_EQ(confusion(Labels{0, 0, 1, 2}, Labels{0, 1, 1, 0}, 3), (ContingencyTable{{1, 1, 0}, {0, 1, 0}, {1, 0, 0}}));
  EXPECT_THROW(confusion(Labels{3}, Labels{0}, 3), std::out_of_range);
}

TEST(MultiLabel, CountsLabelsAndItems) {
  // The first item is right; of the second item's three labels one is missing and one is wrong.
  const auto result = multi_label({{1, 0, 0}, {1, 1, 0}}, {{1, 0, 0}, {1, 0, 1}});
  EXPECT_DOUBLE_EQ(result.subset_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(result.hamming_loss, 2.0 / 6);
  EXPECT_DOUBLE_EQ(result.f1_samples, (1 + 2.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(result.micro.f1, 4.0 / 6);
  EXPECT_DOUBLE_EQ(result.macro.f1, 1.0 / 3);
  EXPECT_DOUBLE_EQ(result.weighted.f1, 2.0 / 3);
}

using Values = std::vector<double>;

// 3 is above 2, 1 and -1, and ties with 3: 3.5. 1 is above -1, and ties with 1: 1.5.
TEST(Order, CountsPairsAndTiesByHalf) {
  EXPECT_EQ(mann_whitney_u(Values{3, 1}, Values{2, 3, 1, -1}), 5);
  EXPECT_EQ(mann_whitney_u(Values{2, 3, 1, -1}, Values{3, 1}), 3) << "the rest of the 8 pairs";
}

TEST(Order, IsHalfOfThePairsWhereAllTie) { EXPECT_EQ(mann_whitney_u(Values{1, 1, 1}, Values{1, 1}), 3); }

TEST(Order, IsNothingOfNoPairs) {
  EXPECT_EQ(mann_whitney_u(Values{1, 2}, Values{}), 0);
  EXPECT_EQ(mann_whitney_u(Values{}, Values{1, 2}), 0);
}

TEST(Cohen, IsWhatRemainsBeyondChance) {
  // 50 items: both yes 20, both no 15, only the first yes 5, only the second yes 10. Observed 35/50 = .7; chance .5 *
  // .6 + .5 * .4 = .5; (.7 - .5) / (1 - .5) = .4.
  EXPECT_NEAR(cohen({{20, 5}, {10, 15}}), 0.4, 1e-15);
}

TEST(Cohen, CountsDistantLabelsMoreWithWeights) {
  // 4 items, labels 0 1 2: (0,0) (1,1) (2,2) and (0,2) or (0,1). Rows (2,1,1).
  // (0,2): columns (1,1,2), mean cost by chance, linear: [2(1+4) + (1+2) + (2+1)] / 16 = 1; observed 2/4.
  // (0,1): columns (1,2,1), [2(2+2) + (1+1) + (2+2)] / 16 = 7/8; observed 1/4: 1 - 2/7 = 5/7.
  EXPECT_NEAR(cohen({{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}, DisagreementWeights::linear), 0.5, 1e-15);
  EXPECT_NEAR(cohen({{1, 1, 0}, {0, 1, 0}, {0, 0, 1}}, DisagreementWeights::linear), 5.0 / 7, 1e-15);
  // Squares, (0,2): [2(1+8) + (1+2) + (4+1)] / 16 = 26/16; observed 1: 1 - 16/26.
  EXPECT_NEAR(cohen({{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}, DisagreementWeights::quadratic), 10.0 / 26, 1e-15);
}

TEST(Cohen, IsUnknownWhereChanceAgreesEverywhere) {
  EXPECT_TRUE(std::isnan(cohen({{7, 0}, {0, 0}})));
  EXPECT_TRUE(std::isnan(cohen({{0, 0}, {0, 0}})));
  EXPECT_TRUE(std::isnan(cohen({})));
  EXPECT_EQ(cohen({{0, 7}, {0, 0}}), 0);
}

TEST(Fleiss, IsWhatRemainsBeyondChance) {
  // Three annotators, four items: pairs agreeing 1, 1/3, 1/3, 1; mean 2/3. Judgements 6 and 6: chance 1/2. 1/3.
  const ContingencyTable ratings{{3, 0}, {2, 1}, {1, 2}, {0, 3}};
  EXPECT_NEAR(observed_agreement(ratings), 2.0 / 3, 1e-15);
  EXPECT_NEAR(fleiss(ratings), 1.0 / 3, 1e-15);
  EXPECT_NEAR(randolph(ratings), 1.0 / 3, 1e-15);
}

TEST(Fleiss, TakesItemsWithDifferentNumbersOfAnnotators) {
  // Pairs agreeing: 1 (of one), 1/3; mean 2/3. The item judged once is left out: judgements 4 and 1, chance 17/25.
  const ContingencyTable ratings{{2, 0}, {2, 1}, {0, 1}};
  EXPECT_NEAR(observed_agreement(ratings), 2.0 / 3, 1e-15);
  EXPECT_NEAR(fleiss(ratings), (2.0 / 3 - 0.68) / 0.32, 1e-15);
}

TEST(Fleiss, IsUnknownWhereChanceAgreesEverywhere) {
  EXPECT_TRUE(std::isnan(fleiss({{2, 0}, {3, 0}})));
  EXPECT_EQ(randolph({{2, 0}, {3, 0}}), 1);
  EXPECT_TRUE(std::isnan(fleiss({{1, 0}})));
  EXPECT_TRUE(std::isnan(observed_agreement({})));
  EXPECT_TRUE(std::isnan(randolph({})));
}

// Each row has the counts of the labels of one unit: categories 1 to 4 in Krippendorff's (2011) example with three
// coders.
const ContingencyTable coders{{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 2, 0, 0}, {2, 0, 0, 0}, {0, 0, 2, 0},
                              {0, 0, 2, 1}, {0, 0, 0, 3}, {1, 0, 1, 0}, {0, 2, 0, 0}, {2, 0, 0, 0},
                              {2, 0, 0, 0}, {0, 0, 2, 0}, {0, 0, 2, 0}, {0, 0, 0, 0}, {0, 0, 1, 1}};

TEST(Krippendorff, IsWhatAHandWorksOut) {
  // Two items of two judgements, labels 0 0 and 0 1. Of 4 judgements 3 are 0. Nominal: pairs that differ within items 2
  // (both ways round), of all 2 * 3 * 1 = 6, so 1 - 3 * 2 / 6 = 0.
  EXPECT_NEAR(krippendorff({{2, 0}, {1, 1}}, Scale::nominal), 0, 1e-15);
  // Labels 0 0, 2 2, 0 1: counts 3 1 2. Interval: within items 2 * 1; of all 2 (3 * 1 * 1 + 3 * 2 * 4 + 1 * 2 * 1)
  // = 58.
  EXPECT_NEAR(krippendorff({{2, 0, 0}, {0, 0, 2}, {1, 1, 0}}, Scale::interval), 1 - 5 * 2.0 / 58, 1e-15);
  // Ordinal: 0 to 1 (3 + 1) / 2 = 2, 1 to 2 (1 + 2) / 2 = 1.5, 0 to 2 3 / 2 + 1 + 2 / 2 = 3.5; within items 2 * 4, of
  // all 2 (3 * 4 + 6 * 12.25 + 2 * 2.25) = 180.
  EXPECT_NEAR(krippendorff({{2, 0, 0}, {0, 0, 2}, {1, 1, 0}}, Scale::ordinal), 1 - 5 * 8.0 / 180, 1e-15);
}

// Expected: the Python package krippendorff 0.8.
TEST(Krippendorff, IsThePackagesOfTheBooksExample) {
  EXPECT_NEAR(krippendorff(coders, Scale::nominal), 0.691358024691358, 1e-14);
  EXPECT_NEAR(krippendorff(coders, Scale::ordinal), 0.8067214199413153, 1e-14);
  EXPECT_NEAR(krippendorff(coders, Scale::interval), 0.8108448928121059, 1e-14);
}

TEST(Krippendorff, TakesTheLabelsValues) {
  const std::vector<double> values = {-4, -1, 0, 1, 4};
  // Two annotators: 0 0 1 2 3 4 4 2 1 3 and 0 1 1 2 4 4 2 2 0 1.
  const ContingencyTable two{{2, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {0, 2, 0, 0, 0}, {0, 0, 2, 0, 0}, {0, 0, 0, 1, 1},
                             {0, 0, 0, 0, 2}, {0, 0, 1, 0, 1}, {0, 0, 2, 0, 0}, {1, 1, 0, 0, 0}, {0, 1, 0, 1, 0}};
  EXPECT_NEAR(krippendorff(two, Scale::interval, values), 0.6681531029357117, 1e-14);
  EXPECT_NEAR(krippendorff(two, Scale::interval), 0.7289234760051881, 1e-14);
  EXPECT_NEAR(krippendorff(two, Scale::ordinal), 0.7544523246650906, 1e-14);
}

TEST(Krippendorff, IsUnknownWhereAllSayTheSame) {
  EXPECT_TRUE(std::isnan(krippendorff({{2, 0}, {3, 0}}, Scale::ordinal)));
  EXPECT_TRUE(std::isnan(krippendorff({}, Scale::nominal)));
}

// Feature rows and labels made by a formula; the expected numbers are those of scikit-learn 1.9.1 (tol = 1e-12).
struct Rows {
  std::vector<std::vector<double>> features;
  std::vector<size_t> labels;
};

Rows rows() {
  Rows all;
  for (int i = 0; i < 12; ++i) {
    const double a = (7 * i + 3) % 11 / 5.0 - 1, b = (5 * i + 2) % 13 / 6.0 - 1;
    all.features.push_back({a, b});
    all.labels.push_back(a + b > 0.4 ? 2 : a > b ? 1 : 0);
  }
  return all;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-5) << i;
}

TEST(LogisticRegression, FindsWhatScikitLearnFinds) {
  const auto [features, labels] = rows();
  const LogisticRegression weak(features, labels, 3), strong(features, labels, 3, 10);
  expect_near(weak.weights(),
              {-1.1187603664359747, 0.18977819352920813, 0.031943170869878475, 0.12242807292593073, -1.1783704204996226,
               -0.02879319775810144, 0.9963322935100438, 0.9885922269704142, -0.003149973111776577});
  const double row[] = {0.3, -0.2};
  expect_near(weak.log_probs(row), {-1.4696325623397106, -0.8843826763533527, -1.0299607150258012});
  expect_near(strong.log_probs(row), {-2.141507139649582, -0.6620284818467171, -1.0031611039277455});
}

TEST(LogisticRegression, NeedsALabelForEachRow) {
  const std::vector<size_t> labels = {0, 1};
  EXPECT_THROW(LogisticRegression({{1.0}}, labels, 2), std::invalid_argument);
  EXPECT_THROW(LogisticRegression({}, {}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace compeer::statistics
