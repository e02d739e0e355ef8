#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace compeer::statistics {

/// Multinomial logistic regression with an L2 penalty on the weights, but not on the intercepts:
///
///   minimise  1/2 |W|^2 + strength x sum over rows of -log P(label | row),   P = softmax(W x + b)
///
/// Equals scikit-learn's LogisticRegression with C = strength.
class LogisticRegression {
 public:
  /// Fits the model. features: [row][feature]; labels: one per row, 0 ... classes - 1; strength: weight of the data
  /// against the penalty, > 0. Throws std::invalid_argument if there are no rows or their number differs from that of
  /// the labels.
  LogisticRegression(const std::vector<std::vector<double>>& features, std::span<const size_t> labels, size_t classes,
                     double strength = 1);

  /// Returns the natural-log probability of each class for one row of features.
  std::vector<double> log_probs(std::span<const double> features) const;

  /// Returns the weights [classes, features + 1], row-major; the last element of a row is the intercept.
  const std::vector<double>& weights() const { return weights_; }

 private:
  size_t classes_, width_;       // number of classes; number of features
  std::vector<double> weights_;  // result of weights()
};

}  // namespace compeer::statistics
