#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics/bootstrap.h"
#include "statistics/confusion.h"

// Agreement between human annotators, for `compeer data agreement` and `data merge`. Several annotators label the same
// items, for example whether a reasoning step is right. An adjudicator is an annotator who labels only the items that
// two others labelled differently.

namespace compeer::annotate {

/// The labels that annotators gave to items. Items, annotators and labels are numbered from 0 in order of first
/// appearance.
class Judgements {
 public:
  /// The label of one annotator for one item.
  struct Judgement {
    size_t annotator, label;  ///< indices in annotators() and labels()
  };

  /// Adds a judgement. Throws Error (exit code 4: invalid data) if the annotator has already judged the item.
  void add(const std::string& item, const std::string& annotator, const std::string& label);

  /// Returns the judgements, [item][judgement in order of addition].
  const std::vector<std::vector<Judgement>>& items() const { return items_; }
  /// Each returns names by number.
  const std::vector<std::string>& annotators() const { return annotators_.names; }
  const std::vector<std::string>& labels() const { return labels_.names; }
  /// Returns the number of judgements.
  size_t size() const { return size_; }
  /// Returns the number of items that each annotator judged, by the annotator's number.
  std::vector<size_t> judged() const;

 private:
  // Names in order of first appearance, and the index of each.
  struct Names {
    std::vector<std::string> names;
    std::map<std::string, size_t> numbers;   // name -> its index in `names`
    size_t number(const std::string& name);  // returns the index of the name, which it adds if it is new
  };

  Names item_names_, annotators_, labels_;
  std::vector<std::vector<Judgement>> items_;  // [item][judgement]
  size_t size_ = 0;                            // number of judgements
};

/// The order of labels on a scale, for coefficients that weigh the distance between two labels.
struct Order {
  std::vector<size_t> places;  ///< [label of `Judgements`]: the label's position on the scale, from 0
  std::vector<double> values;  ///< [position]: the label as a number if all labels are numbers, otherwise the position
};

/// Returns the order given by `names`, the option --order: all labels in order, or "numbers" alone to sort labels that
/// are numbers. Throws Error (exit code 2: wrong command line) if a label that occurs is missing, a label is repeated,
/// or a label is not a number.
Order order_of(const Judgements& judgements, const std::vector<std::string>& names);

/// Coefficients of agreement between annotators over the items that at least two of them judged. Estimates have
/// bootstrap intervals.
struct Agreement {
  size_t n = 0;      ///< number of these items
  bool two = false;  ///< exactly two annotators; otherwise Cohen's kappas are NaN
  /// Share of equal pairs of labels, Cohen's kappa, Fleiss' kappa (without an interval if there are two annotators).
  statistics::BootstrapInterval observed, cohen, fleiss;
  statistics::BootstrapInterval alpha;  ///< Krippendorff's alpha for nominal labels
  bool ordered = false;                 ///< the labels have an order; otherwise the four last estimates are NaN
  statistics::BootstrapInterval linear, quadratic;  ///< Cohen's kappas with linear and quadratic weights
  statistics::BootstrapInterval ordinal, interval;  ///< Krippendorff's alphas for ordinal and interval scales
};

/// Returns for each annotator whether it is an adjudicator, that is, whether on each of its items two other annotators
/// disagree and it did not judge all items. Counting adjudicators would underestimate the agreement.
std::vector<bool> adjudicators(const Judgements& judgements);

/// Returns the agreement on the items with the indices `items`. `left_out` [annotator]: true for annotators that are
/// not counted. `how`: number of resamples, seed and level of the bootstrap intervals. `order`: null if the labels have
/// none.
Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const std::vector<size_t>& items,
                    const statistics::Resampling& how, const Order* order = nullptr);
Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const statistics::Resampling& how,
                    const Order* order = nullptr);  ///< the same over all items

/// Numbers of items by the outcome of adjudication: two annotators judge each item, and a third one those on which they
/// disagree. An item without a majority is dropped.
struct Adjudication {
  size_t agreed = 0;   ///< the first two agree
  size_t third = 0;    ///< they disagree, but more than half of all judgements of the item are the same
  size_t dropped = 0;  ///< they disagree, and there is no majority
  size_t open = 0;     ///< the first two disagree and there is no third judgement
  size_t single = 0;   ///< only one judgement
};

/// Counts the outcomes. `adjudicators` [annotator]: true for adjudicators. The first two annotators of an item are
/// those with the lowest numbers; adjudicators come last.
Adjudication adjudication(const Judgements& judgements, const std::vector<bool>& adjudicators);

/// Result of majority() if no label has more than half of the judgements.
constexpr size_t no_majority = static_cast<size_t>(-1);
/// Returns the label that is more than half of the labels of one item, or `no_majority`.
size_t majority(const std::vector<size_t>& labels);

/// Returns {"n", "observed_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"}, for ordered labels also
/// {"cohen_kappa_linear", "cohen_kappa_quadratic", "krippendorff_alpha_ordinal", "krippendorff_alpha_interval"}, and
/// each with "..._interval". Undefined values are null.
nlohmann::ordered_json to_json(const Agreement& agreement);

/// Formats the value and its interval: "0.750 [0.500, 1.000]", or "none" if the value is NaN.
std::string text(const statistics::BootstrapInterval& estimate);

/// Formats the kappa: "0.400 [0.100, 0.700] (Cohen)" for two annotators, otherwise "(Fleiss)".
std::string kappa_text(const Agreement& agreement);

/// Formats the other coefficients, one per line: "alpha 0.400 [0.100, 0.700] (Krippendorff, nominal)".
std::vector<std::string> more_text(const Agreement& agreement);

}  // namespace compeer::annotate
