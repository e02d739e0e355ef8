#include "report/comparing/evaluations.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

EvaluationGroup group_of(const std::vector<RunData>& runs) {
  return stage_evaluations(runs, Lineage(runs), Seeds::together).at(0);
}

/// The tests of por and urp in the study, where seeds differ by 10, and the two by 2, 3 and 4 at the same seed.
std::vector<RunData> study() {
  auto runs = sample::study();
  const double por[] = {50, 60, 70}, urp[] = {52, 63, 74};
  for (size_t seed = 0; seed < 3; ++seed) {
    runs[6 * seed + 3].stages[1].findings["mean_emotion"] = sample::figure(por[seed], 2);
    runs[6 * seed + 5].stages[1].findings["mean_emotion"] = sample::figure(urp[seed], 2);
  }
  return runs;
}

MeanDifference urp_against_por(const std::vector<RunData>& runs) {
  const auto group = group_of(runs);
  EXPECT_EQ(group.candidates.size(), 3u);
  return difference(runs, group.candidates[1], group.candidates[2], "mean_emotion");
}

TEST(Figures, OfSeveralSeedsAreTheirMean) {
  const auto runs = sample::study();
  // 59, 60, 61: sd 1, half width 4.30265 / sqrt(3) = 2.484
  const auto figure = figure_of(runs, group_of(runs).candidates[1], "mean_emotion");
  EXPECT_DOUBLE_EQ(figure.mean, 60);
  EXPECT_NEAR(figure.high, 62.484, 1e-3);
  EXPECT_EQ(figure.n, 3);
}

TEST(MeanDifference, OfCandidatesIsTakenTestByTest) {
  const auto d = urp_against_por(study());
  EXPECT_TRUE(d.paired);
  EXPECT_DOUBLE_EQ(d.value, 3);  // 2, 3, 4: sd 1, half width 2.484
  EXPECT_NEAR(d.low, 0.516, 1e-3);
  EXPECT_TRUE(d.clear());
}

TEST(MeanDifference, OfCandidatesThatWentThroughOtherTestsIsOfIndependentMeans) {
  auto runs = study();
  runs[17].spec["seed"] = 4;
  const auto d = urp_against_por(runs);
  EXPECT_FALSE(d.paired);
  EXPECT_DOUBLE_EQ(d.value, 3);
  EXPECT_FALSE(d.clear());  // means with half widths of 24.8 and 27.3
}

TEST(MeanDifference, OfCandidatesIsNotPairedWhereATestIsMissingOrMadeTwice) {
  auto missing_one = study(), twice = study();
  missing_one[9].stages[1].findings.erase("mean_emotion");
  EXPECT_FALSE(urp_against_por(missing_one).paired);
  twice[9].spec["seed"] = twice[11].spec["seed"] = 1;
  EXPECT_FALSE(urp_against_por(twice).paired);
}

}  // namespace
}  // namespace compeer::report
