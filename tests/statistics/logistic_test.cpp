#include "statistics/logistic.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace compeer::statistics {
namespace {

// Rows and labels of a formula; the expected numbers are those of scikit-learn 1.9.1 on them (tol = 1e-12).
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
