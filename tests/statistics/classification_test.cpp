#include "statistics/classification.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer::statistics {
namespace {

TEST(Classification, IsWhatAHandWorksOut) {
  // Rows are truth. False: 3 of 4 found, 3 of 5 said; True: 6 of 8 found, 6 of 7 said.
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
  // The first item is right, the second lacks one of two labels and has one too many, of three.
  const auto result = multi_label({{1, 0, 0}, {1, 1, 0}}, {{1, 0, 0}, {1, 0, 1}});
  EXPECT_DOUBLE_EQ(result.subset_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(result.hamming_loss, 2.0 / 6);
  EXPECT_DOUBLE_EQ(result.f1_samples, (1 + 2.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(result.micro.f1, 4.0 / 6);
  EXPECT_DOUBLE_EQ(result.macro.f1, 1.0 / 3);
  EXPECT_DOUBLE_EQ(result.weighted.f1, 2.0 / 3);
}

}  // namespace
}  // namespace compeer::statistics
