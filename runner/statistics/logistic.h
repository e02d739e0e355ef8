#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace compeer::statistics {

/// Logistic regression over any number of classes, with a penalty on the weights but not on the intercepts:
///
///   minimise  1/2 |W|^2 + strength x sum over rows of -log P(label | row),   P = softmax(W x + b)
///
/// as scikit-learn's with C = strength.
class LogisticRegression {
 public:
  /// features [rows, width], row by row; labels from 0 to classes - 1, one for each row.
  LogisticRegression(const std::vector<std::vector<double>>& features, std::span<const size_t> labels, size_t classes,
                     double strength = 1);

  /// Natural logarithms of each class's probability.
  std::vector<double> log_probs(std::span<const double> features) const;

  /// weights [classes, width + 1]: of each class the intercept comes last.
  const std::vector<double>& weights() const { return weights_; }

 private:
  size_t classes_, width_;
  std::vector<double> weights_;
};

}  // namespace compeer::statistics
