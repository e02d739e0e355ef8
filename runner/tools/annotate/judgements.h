#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics/bootstrap.h"
#include "statistics/confusion.h"

namespace compeer::annotate {

/// The label that each annotator gave each item. Items, annotators and labels are numbered in order of first
/// appearance.
class Judgements {
 public:
  /// One judgement of an item.
  struct Judgement {
    size_t annotator, label;
  };

  /// Adds a judgement. Throws Error (exit 4) if the annotator has already judged the item.
  void add(const std::string& item, const std::string& annotator, const std::string& label);

  /// Returns the judgements, [item][i].
  const std::vector<std::vector<Judgement>>& items() const { return items_; }
  const std::vector<std::string>& annotators() const { return annotators_.names; }
  const std::vector<std::string>& labels() const { return labels_.names; }
  /// Returns the number of judgements.
  size_t size() const { return size_; }
  /// Returns the number of items that each annotator judged.
  std::vector<size_t> judged() const;

 private:
  struct Names {
    std::vector<std::string> names;
    std::map<std::string, size_t> numbers;
    size_t number(const std::string& name);
  };

  Names item_names_, annotators_, labels_;
  std::vector<std::vector<Judgement>> items_;
  size_t size_ = 0;
};

/// The order of labels on a scale.
struct Order {
  std::vector<size_t> places;  ///< position of each label of `Judgements` on the scale
  std::vector<double> values;  ///< value of each position: the label as a number, or the position itself
};

/// Returns the order given by `names`: all labels in order, or "numbers" alone if the labels are numbers. Throws Error
/// (exit 2) if a label that occurs is missing, a label is repeated, or a label is not a number.
Order order_of(const Judgements& judgements, const std::vector<std::string>& names);

/// Agreement of annotators over the items that at least two of them judged; all estimates have bootstrap intervals.
struct Agreement {
  size_t n = 0;      ///< number of these items
  bool two = false;  ///< exactly two annotators; otherwise Cohen's kappas are NaN
  /// Share of agreeing pairs, Cohen's kappa, Fleiss' kappa (without an interval if there are two annotators).
  statistics::BootstrapInterval observed, cohen, fleiss;
  statistics::BootstrapInterval alpha;  ///< Krippendorff's alpha for nominal labels
  bool ordered = false;                 ///< the labels have an order; otherwise the remaining estimates are NaN
  statistics::BootstrapInterval linear, quadratic;  ///< Cohen's kappas with linear and quadratic weights
  statistics::BootstrapInterval ordinal, interval;  ///< Krippendorff's alphas for ordinal and interval scales
};

/// True for adjudicators: annotators who were asked only where others disagreed, recognized by the fact that two others
/// disagree on each of their items, and that they did not judge all items. Counting them would underestimate agreement.
std::vector<bool> adjudicators(const Judgements& judgements);

/// Returns the agreement on some of the items, without the annotators marked in `left_out`. `order`: null if the labels
/// have none.
Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const std::vector<size_t>& items,
                    const statistics::Resampling& how, const Order* order = nullptr);
Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const statistics::Resampling& how,
                    const Order* order = nullptr);  ///< over all items

/// Outcomes of adjudication: two annotators judge each item, a third one those on which they disagree; without a
/// majority the item is dropped.
struct Adjudication {
  size_t agreed = 0;   ///< the first two agree
  size_t third = 0;    ///< they disagree, but more than half of all judgements of the item are the same
  size_t dropped = 0;  ///< they disagree, and there is no majority
  size_t open = 0;     ///< the first two disagree and there is no third judgement
  size_t single = 0;   ///< only one judgement
};

/// Counts the outcomes. The first two annotators of an item are the earliest in order of appearance in the file; those
/// marked as adjudicators come last.
Adjudication adjudication(const Judgements& judgements, const std::vector<bool>& adjudicators);

/// Returns the label of more than half of them, or `no_majority`.
constexpr size_t no_majority = static_cast<size_t>(-1);
size_t majority(const std::vector<size_t>& labels);

/// Returns {"n", "observed_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"}, for ordered labels also
/// {"cohen_kappa_linear", "cohen_kappa_quadratic", "krippendorff_alpha_ordinal", "krippendorff_alpha_interval"}, and
/// each with "..._interval". Undefined values are null.
nlohmann::ordered_json to_json(const Agreement& agreement);

/// Formats "0.750 [0.500, 1.000]", or "none".
std::string text(const statistics::BootstrapInterval& estimate);

/// Formats the kappa: "0.400 [0.100, 0.700] (Cohen)" for two annotators, otherwise "(Fleiss)".
std::string kappa_text(const Agreement& agreement);

/// Formats the other coefficients, one per line: "alpha 0.400 [0.100, 0.700] (Krippendorff, nominal)".
std::vector<std::string> more_text(const Agreement& agreement);

}  // namespace compeer::annotate
