// Precision, recall and related scores, from confusion matrices and label sets.
#include "statistics/classification.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

namespace compeer::statistics {

namespace {

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

// Counts of one class: true positives, predicted items, items that have it in truth.
struct Hits {
  size_t hit = 0, predicted = 0, occurs = 0;
};

PrecisionRecall scores(const Hits& hits) {
  const auto hit = static_cast<double>(hits.hit);
  const auto predicted = static_cast<double>(hits.predicted), occurs = static_cast<double>(hits.occurs);
  return {share(hit, predicted), share(hit, occurs), share(2 * hit, predicted + occurs)};
}

void add(PrecisionRecall& sum, const PrecisionRecall& scores, double weight) {
  sum.precision += weight * scores.precision;
  sum.recall += weight * scores.recall;
  sum.f1 += weight * scores.f1;
}

ClassScores class_scores(const std::vector<Hits>& classes) {
  ClassScores result;
  Hits all;
  for (const auto& one : classes) {
    result.classes.push_back(scores(one));
    result.support.push_back(one.occurs);
    all = {all.hit + one.hit, all.predicted + one.predicted, all.occurs + one.occurs};
  }
  result.micro = scores(all);
  for (size_t k = 0; k < classes.size(); ++k) {
    add(result.macro, result.classes[k], 1.0 / static_cast<double>(classes.size()));
    add(result.weighted, result.classes[k],
        share(static_cast<double>(classes[k].occurs), static_cast<double>(all.occurs)));
  }
  return result;
}

double mean_recall_of_present(const ClassScores& scores) {
  double sum = 0, present = 0;
  for (size_t k = 0; k < scores.classes.size(); ++k) {
    if (scores.support[k] > 0) sum += scores.classes[k].recall, ++present;
  }
  return share(sum, present);
}

// (c n - sum p t) / sqrt((n^2 - sum p^2)(n^2 - sum t^2)): the correlation of truth t and prediction p, c of n right.
double matthews(const std::vector<Hits>& classes, double right, double n) {
  double both = 0, predicted = 0, truth = 0;
  for (const auto& one : classes) {
    const auto p = static_cast<double>(one.predicted), t = static_cast<double>(one.occurs);
    both += p * t, predicted += p * p, truth += t * t;
  }
  return share(right * n - both, std::sqrt((n * n - predicted) * (n * n - truth)));
}

}  // namespace

Classification classification(const ContingencyTable& confusion) {
  const auto occurs = row_sums(confusion), predicted = column_sums(confusion);
  std::vector<Hits> classes;
  size_t right = 0;
  for (size_t k = 0; k < confusion.size(); ++k) {
    classes.push_back({confusion[k][k], predicted[k], occurs[k]});
    right += confusion[k][k];
  }
  Classification result{class_scores(classes)};
  result.n = total(confusion);
  const auto n = static_cast<double>(result.n);
  result.accuracy = share(static_cast<double>(right), n);
  result.balanced_accuracy = mean_recall_of_present(result);
  result.matthews = matthews(classes, static_cast<double>(right), n);
  return result;
}

MultiLabel multi_label(const ContingencyTable& truth, const ContingencyTable& predicted) {
  assert(truth.size() == predicted.size());
  const size_t labels = truth.empty() ? 0 : truth.front().size();
  std::vector<Hits> classes(labels);
  size_t whole = 0, wrong = 0;
  double samples = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    Hits item;
    for (size_t k = 0; k < labels; ++k) {
      const size_t t = truth[i].at(k), p = predicted[i].at(k);
      classes[k] = {classes[k].hit + t * p, classes[k].predicted + p, classes[k].occurs + t};
      item = {item.hit + t * p, item.predicted + p, item.occurs + t};
    }
    const size_t missed = item.predicted + item.occurs - 2 * item.hit;
    wrong += missed;
    whole += missed == 0;
    samples += scores(item).f1;
  }
  MultiLabel result{class_scores(classes)};
  const auto n = static_cast<double>(truth.size());
  result.subset_accuracy = share(static_cast<double>(whole), n);
  result.hamming_loss = share(static_cast<double>(wrong), n * static_cast<double>(labels));
  result.f1_samples = share(samples, n);
  return result;
}

double mann_whitney_u(std::span<const double> above, std::span<const double> below) {
  std::vector<double> sorted(below.begin(), below.end());
  std::sort(sorted.begin(), sorted.end());
  double twice = 0;
  for (const double value : above) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    twice += static_cast<double>((first - sorted.begin()) + (last - sorted.begin()));
  }
  return twice / 2;
}

}  // namespace compeer::statistics
