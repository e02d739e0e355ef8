#pragma once
#include <span>

#include "statistics/confusion.h"

namespace compeer::statistics {

/// Scores of one class, or averaged over classes. A division by zero gives 0: a class that is never predicted has
/// precision 0, one that never occurs has recall 0.
struct PrecisionRecall {
  double precision = 0, recall = 0, f1 = 0;
};

/// Scores that single-label and multi-label classification have in common.
struct ClassScores {
  std::vector<PrecisionRecall> classes;  ///< per class
  std::vector<size_t> support;           ///< per class: number of items that truly have it
  PrecisionRecall micro;                 ///< from the counts summed over classes
  PrecisionRecall macro;                 ///< mean over all classes, including those that never occur
  PrecisionRecall weighted;              ///< mean weighted by support
};

/// Scores of single-label classification.
struct Classification : ClassScores {
  size_t n = 0;                  ///< number of items
  double accuracy = 0;           ///< fraction of items that are classified correctly
  double balanced_accuracy = 0;  ///< mean recall of the classes that occur
  double matthews = 0;  ///< Matthews correlation, for any number of classes; 0 if truth or prediction never varies
};

/// Computes scores from a confusion matrix: truth (rows) by prediction (columns).
Classification classification(const ContingencyTable& confusion);

/// Scores of multi-label classification: any number of labels per item.
struct MultiLabel : ClassScores {
  double subset_accuracy = 0;  ///< fraction of items with all labels right
  double hamming_loss = 0;     ///< fraction of labels that are wrong
  double f1_samples = 0;       ///< mean over items of the F1 of the item's labels
};

/// Computes scores from `truth` and `predicted`, both [items, labels] of 0 and 1.
MultiLabel multi_label(const ContingencyTable& truth, const ContingencyTable& predicted);

/// Returns the Mann-Whitney U statistic: the number of pairs, one value of `above` and one of `below`, in which the
/// former is larger; ties count one half. Divided by the number of pairs it is the area under the ROC curve. Values
/// must not be NaN.
double mann_whitney_u(std::span<const double> above, std::span<const double> below);

}  // namespace compeer::statistics
