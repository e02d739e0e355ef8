// Fits logistic regression by L-BFGS with backtracking line search.
#include "statistics/logistic.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace compeer::statistics {

namespace {

using Vector = std::vector<double>;
// Returns the function to minimise at `at` and writes its gradient.
using Objective = std::function<double(const Vector& at, Vector& gradient)>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

Vector plus(const Vector& a, double factor, const Vector& b) {
  Vector sum = a;
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * b[i];
  return sum;
}

// A step of L-BFGS and the change of the gradient along it.
struct Curvature {
  Vector step, change;
};

// Search direction of L-BFGS: minus the inverse Hessian, estimated from the last steps, times the gradient.
Vector direction_of(const Vector& gradient, const std::deque<Curvature>& known) {
  Vector direction = gradient;
  Vector factors;
  for (auto one = known.rbegin(); one != known.rend(); ++one) {
    factors.push_back(dot(one->step, direction) / dot(one->step, one->change));
    direction = plus(direction, -factors.back(), one->change);
  }
  if (!known.empty()) {
    const auto& last = known.back();
    const double scale = dot(last.step, last.change) / dot(last.change, last.change);
    for (double& value : direction) value *= scale;
  }
  for (const auto& one : known) {
    const double factor = dot(one.change, direction) / dot(one.step, one.change);
    direction = plus(direction, factors.back() - factor, one.step);
    factors.pop_back();
  }
  for (double& value : direction) value = -value;
  return direction;
}

// Minimises a convex function, starting at `at`.
Vector minimum(const Objective& objective, Vector at) {
  constexpr int most_steps = 1000;
  constexpr size_t remembered = 10;
  constexpr double small = 1e-6, enough = 1e-4;
  Vector gradient(at.size());
  double value = objective(at, gradient);
  std::deque<Curvature> known;
  for (int step = 0; step < most_steps && std::sqrt(dot(gradient, gradient)) > small * std::max(1.0, value); ++step) {
    const Vector direction = direction_of(gradient, known);
    const double slope = dot(gradient, direction);
    double length = known.empty() ? 1 / std::sqrt(dot(gradient, gradient)) : 1;
    Vector next, next_gradient(at.size());
    double next_value = 0;
    for (;; length /= 2) {
      next = plus(at, length, direction);
      next_value = objective(next, next_gradient);
      if (next_value <= value + enough * length * slope) break;
      if (length < 1e-12) return at;  // no improvement within rounding
    }
    Curvature one{plus(next, -1, at), plus(next_gradient, -1, gradient)};
    if (dot(one.step, one.change) > 0) known.push_back(std::move(one));
    if (known.size() > remembered) known.pop_front();
    at = std::move(next), gradient = std::move(next_gradient), value = next_value;
  }
  return at;
}

Vector log_softmax(Vector scores) {
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - most);
  for (double& score : scores) score -= most + std::log(sum);
  return scores;
}

Vector log_probs_of(const Vector& weights, std::span<const double> features, size_t classes) {
  const size_t width = features.size();
  Vector scores(classes);
  for (size_t c = 0; c < classes; ++c) {
    const double* row = &weights[c * (width + 1)];
    scores[c] = std::inner_product(features.begin(), features.end(), row, row[width]);
  }
  return log_softmax(std::move(scores));
}

}  // namespace

LogisticRegression::LogisticRegression(const std::vector<Vector>& features, std::span<const size_t> labels,
                                       size_t classes, double strength)
    : classes_(classes), width_(features.empty() ? 0 : features[0].size()) {
  if (features.empty() || features.size() != labels.size())
    throw std::invalid_argument("a logistic regression needs rows, and a label for each");
  const auto objective = [&](const Vector& at, Vector& gradient) {
    double value = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      const bool intercept = i % (width_ + 1) == width_;
      gradient[i] = intercept ? 0 : at[i];
      value += intercept ? 0 : at[i] * at[i] / 2;
    }
    for (size_t row = 0; row < features.size(); ++row) {
      const Vector log_probs = log_probs_of(at, features[row], classes_);
      value -= strength * log_probs[labels[row]];
      for (size_t c = 0; c < classes_; ++c) {
        const double error = strength * (std::exp(log_probs[c]) - (c == labels[row] ? 1 : 0));
        double* of_class = &gradient[c * (width_ + 1)];
        for (size_t i = 0; i < width_; ++i) of_class[i] += error * features[row][i];
        of_class[width_] += error;
      }
    }
    return value;
  };
  weights_ = minimum(objective, Vector(classes_ * (width_ + 1)));
}

std::vector<double> LogisticRegression::log_probs(std::span<const double> features) const {
  return log_probs_of(weights_, features, classes_);
}

}  // namespace compeer::statistics
