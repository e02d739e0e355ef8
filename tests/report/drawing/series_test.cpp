#include "report/drawing/series.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer::report {
namespace {

Curve line(std::vector<double> y) {
  Curve curve{{}, std::move(y)};
  for (size_t i = 0; i < curve.y.size(); ++i) curve.x.push_back(static_cast<double>(i + 1));
  return curve;
}

TEST(Smoothing, WindowIsOddAndFivePercent) {
  EXPECT_EQ(smoothing_window(19), 1u);
  EXPECT_EQ(smoothing_window(20), 5u);
  EXPECT_EQ(smoothing_window(80), 5u);
  EXPECT_EQ(smoothing_window(1000), 51u);
}

TEST(Smoothing, AveragesWhatExistsNearTheEnds) {
  // window 3: (1+2)/2, (1+2+6)/3, (2+6)/2
  EXPECT_EQ(smooth({1, 2, 6}, 3), (std::vector<double>{1.5, 3, 4}));
}

TEST(Smoothing, LeavesOutMissingValues) {
  const auto means = smooth({1, NAN, 3, NAN, NAN, NAN}, 3);
  EXPECT_EQ(means[0], 1);
  EXPECT_EQ(means[1], 2);
  EXPECT_EQ(means[2], 3);
  EXPECT_EQ(means[3], 3);
  EXPECT_TRUE(std::isnan(means[4]));
}

TEST(ThinExtremes, KeepsLowestAndHighestOfEachBucketInOrder) {
  // Eight points in two buckets (x 1..4.5 and 4.5..8): 5 then 1 of the first, 0 then 9 of the second.
  const Curve thin = thin_extremes(line({2, 5, 1, 3, 0, 4, 9, 4}), 2);
  EXPECT_EQ(thin.y, (std::vector<double>{5, 1, 0, 9}));
  EXPECT_EQ(thin.x, (std::vector<double>{2, 3, 5, 7}));
}

TEST(ThinExtremes, LeavesShortCurvesAloneButForMissingValues) {
  const Curve thin = thin_extremes(line({2, NAN, 1, INFINITY}), 2);
  EXPECT_EQ(thin.y, (std::vector<double>{2, 1}));
  EXPECT_EQ(thin.x, (std::vector<double>{1, 3}));
}

TEST(ThinExtremes, NeverKeepsMoreThanTwoPerBucketNorLosesAnExtreme) {
  std::vector<double> y(10'000);
  for (size_t i = 0; i < y.size(); ++i) y[i] = std::sin(static_cast<double>(i * i % 977));
  y[4321] = 50;
  y[8765] = -50;
  const Curve thin = thin_extremes(line(y), 100);
  EXPECT_LE(thin.x.size(), 200u);
  EXPECT_EQ(*std::max_element(thin.y.begin(), thin.y.end()), 50);
  EXPECT_EQ(*std::min_element(thin.y.begin(), thin.y.end()), -50);
  EXPECT_TRUE(std::is_sorted(thin.x.begin(), thin.x.end()));
}

TEST(ThinMean, IsTheMeanOfEachBucket) {
  const Curve thin = thin_mean(line({1, 3, 10, 20}), 2);
  EXPECT_EQ(thin.x, (std::vector<double>{1.5, 3.5}));
  EXPECT_EQ(thin.y, (std::vector<double>{2, 15}));
}

TEST(ThinMean, OfNothingIsNothing) {
  EXPECT_TRUE(thin_mean({}, 10).x.empty());
  EXPECT_TRUE(thin_mean(line({NAN, NAN}), 1).x.empty());
}

TEST(Across, GivesMeanAndRangeAtEveryStepAnyRunHas) {
  const CurveSpread spread = across({line({1, 2, 3}), line({3, NAN})});
  EXPECT_EQ(spread.x, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(spread.mean, (std::vector<double>{2, 2, 3}));
  EXPECT_EQ(spread.low, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(spread.high, (std::vector<double>{3, 2, 3}));
}

TEST(Quantile, IgnoresMissingValues) {
  EXPECT_EQ(quantile({5, NAN, 1, 3}, 0.5), 3);
  EXPECT_EQ(quantile({5, 1, 3}, 1.0), 5);
  EXPECT_TRUE(std::isnan(quantile({NAN}, 0.5)));
}

}  // namespace
}  // namespace compeer::report
