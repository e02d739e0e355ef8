#pragma once
#include <span>

#include "statistics/confusion.h"

namespace compeer::statistics {

/// Of one class, or averaged over classes. A division by zero gives 0: a class never predicted has precision 0, one
/// that never occurs has recall 0.
struct PrecisionRecall {
  double precision = 0, recall = 0, f1 = 0;
};

struct ClassScores {
  std::vector<PrecisionRecall> classes;
  std::vector<size_t> support;  ///< how often each class occurs in truth
  PrecisionRecall micro;        ///< of the counts of all classes together
  PrecisionRecall macro;        ///< means over classes, also those that never occur
  PrecisionRecall weighted;     ///< means weighted by support
};

/// One label for each item.
struct Classification : ClassScores {
  size_t n = 0;
  double accuracy = 0;
  double balanced_accuracy = 0;  ///< mean recall of the classes that occur
  double matthews = 0;           ///< for any number of classes; 0 where truth or prediction never varies
};

/// From a confusion table whose rows are the truth.
Classification classification(const ContingencyTable& confusion);

/// Any number of labels for each item.
struct MultiLabel : ClassScores {
  double subset_accuracy = 0;  ///< share of items with all labels right
  double hamming_loss = 0;     ///< share of labels that are wrong
  double f1_samples = 0;       ///< mean over items of the F1 of the item's labels
};

/// truth, predicted [items, labels], each 0 or 1.
MultiLabel multi_label(const ContingencyTable& truth, const ContingencyTable& predicted);

/// Of all pairs of a value of `above` and one of `below`: how many are in that order, ties counting one half. Divided
/// by the number of pairs it is one half by chance (the area under the ROC curve). No value is NaN.
double in_order(std::span<const double> above, std::span<const double> below);

}  // namespace compeer::statistics
