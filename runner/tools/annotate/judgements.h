#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics/bootstrap.h"
#include "statistics/confusion.h"

namespace compeer::annotate {

/// Which label each annotator gave each item. Items, annotators and labels are numbered in order of first appearance.
class Judgements {
 public:
  struct Said {
    size_t annotator, label;
  };

  /// Throws Error if that annotator judged that item before.
  void add(const std::string& item, const std::string& annotator, const std::string& label);

  const std::vector<std::vector<Said>>& items() const { return items_; }
  const std::vector<std::string>& annotators() const { return annotators_.names; }
  const std::vector<std::string>& labels() const { return labels_.names; }
  size_t size() const { return size_; }
  /// How many items each annotator judged.
  std::vector<size_t> judged() const;

 private:
  struct Names {
    std::vector<std::string> names;
    std::map<std::string, size_t> numbers;
    size_t number(const std::string& name);
  };

  Names item_names_, annotators_, labels_;
  std::vector<std::vector<Said>> items_;
  size_t size_ = 0;
};

/// The order of labels, from one end of a scale to the other.
struct Order {
  std::vector<size_t> places;  ///< of each label of `Judgements`
  std::vector<double> values;  ///< at each place: the label as a number, or the place itself
};

/// `names`: all labels in order, or "numbers" alone, where they are numbers. Throws Error (exit 2) if it leaves out a
/// label that occurs, or has one twice.
Order order_of(const Judgements& judgements, const std::vector<std::string>& names);

/// How much annotators agree, over the items that at least two of them judged.
struct Agreement {
  size_t n = 0;
  bool two = false;  ///< exactly two annotators: only then is there Cohen's kappa, else NaN
  statistics::BootstrapInterval observed, cohen, fleiss;  ///< with intervals; Fleiss' only if there are not two
  statistics::BootstrapInterval alpha;                    ///< Krippendorff's, with an interval
  bool ordered = false;                                   ///< only then are there those that follow, and else NaN
  statistics::BootstrapInterval linear, quadratic;        ///< Cohen's weighted kappas
  statistics::BootstrapInterval ordinal, interval;        ///< Krippendorff's alphas
};

/// Annotators who were only asked where others disagreed: each item of theirs has two differing judgements by others,
/// and there are items that they were not asked about. Counting them would make agreement look worse than it is.
std::vector<bool> adjudicators(const Judgements& judgements);

/// Over some of the items, without the annotators who are `left_out`. `order`: null if the labels have none.
Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const std::vector<size_t>& items,
                    const statistics::Resampling& how, const Order* order = nullptr);
Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const statistics::Resampling& how,
                    const Order* order = nullptr);  ///< over all items

/// Two annotators; a third where they disagree; dropped without a majority.
struct Adjudication {
  size_t agreed = 0;  ///< the first two say the same
  size_t third = 0;   ///< they don't, and more than half of all who judged the item do
  size_t dropped = 0;
  size_t open = 0;    ///< the two disagree and nobody else has judged
  size_t single = 0;  ///< judged once
};

/// The first two are the earliest annotators of the item in order of appearance in the file; adjudicators come last.
Adjudication adjudication(const Judgements& judgements, const std::vector<bool>& adjudicators);

/// What more than half of them say.
constexpr size_t no_majority = static_cast<size_t>(-1);
size_t majority(const std::vector<size_t>& labels);

/// {"n", "observed_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", of ordered labels also
/// "cohen_kappa_linear", "cohen_kappa_quadratic", "krippendorff_alpha_ordinal", "krippendorff_alpha_interval", and each
/// "..._interval"}; null where there is none.
nlohmann::ordered_json to_json(const Agreement& agreement);

/// "0.750 [0.500, 1.000]", or "none".
std::string text(const statistics::BootstrapInterval& estimate);

/// "0.400 [0.100, 0.700] (Cohen)", where there are two annotators; else "(Fleiss)".
std::string kappa_text(const Agreement& agreement);

/// The others: "alpha 0.400 [0.100, 0.700] (Krippendorff, nominal)", a line each.
std::vector<std::string> more_text(const Agreement& agreement);

}  // namespace compeer::annotate
