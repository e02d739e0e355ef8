// Computes agreement between annotators and the outcomes of adjudication.
#include "tools/annotate/judgements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
#include "statistics/agreement.h"

namespace compeer::annotate {

namespace {

using statistics::BootstrapInterval;
using statistics::ContingencyTable;
using Judgement = Judgements::Judgement;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool differ(const std::vector<Judgement>& said, size_t except) {
  std::set<size_t> labels;
  for (const auto& one : said) {
    if (one.annotator != except) labels.insert(one.label);
  }
  return labels.size() > 1;
}

// Returns the judgements of annotators that are not left out, for items with at least two of them.
std::vector<std::vector<Judgement>> counted(const Judgements& judgements, const std::vector<bool>& left_out,
                                            const std::vector<size_t>& items) {
  std::vector<std::vector<Judgement>> result;
  for (const size_t item : items) {
    std::vector<Judgement> said;
    for (const auto& one : judgements.items()[item]) {
      if (!left_out[one.annotator]) said.push_back(one);
    }
    if (said.size() >= 2) result.push_back(std::move(said));
  }
  return result;
}

ContingencyTable ratings(const std::vector<std::vector<Judgement>>& items, size_t labels) {
  ContingencyTable table;
  for (const auto& said : items) {
    auto& counts = table.emplace_back(labels);
    for (const auto& one : said) ++counts[one.label];
  }
  return table;
}

// Returns the two annotators of all items, or nothing if there are not exactly two.
std::optional<std::pair<size_t, size_t>> the_two(const std::vector<std::vector<Judgement>>& items) {
  std::set<size_t> annotators;
  for (const auto& said : items)
    for (const auto& one : said) annotators.insert(one.annotator);
  if (annotators.size() != 2) return {};
  return {{*annotators.begin(), *annotators.rbegin()}};
}

double cohen(const std::vector<std::vector<Judgement>>& items, std::span<const size_t> rows, size_t first,
             size_t labels, statistics::DisagreementWeights weights = statistics::DisagreementWeights::none) {
  ContingencyTable table(labels, std::vector<size_t>(labels));
  for (const size_t row : rows) {
    const bool in_order = items[row][0].annotator == first;
    ++table[items[row][in_order ? 0 : 1].label][items[row][in_order ? 1 : 0].label];
  }
  return statistics::cohen(table, weights);
}

// Replaces labels by their positions on the scale.
std::vector<std::vector<Judgement>> placed(std::vector<std::vector<Judgement>> items,
                                           const std::vector<size_t>& places) {
  for (auto& said : items) {
    for (Judgement& one : said) one.label = places[one.label];
  }
  return items;
}

// Returns the label as a number, or nothing.
std::optional<double> number_in(const std::string& label) {
  double value = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  return error == std::errc() && end == label.data() + label.size() ? std::optional(value) : std::nullopt;
}

// Returns the labels sorted by value.
std::vector<std::string> by_number(std::vector<std::string> labels) {
  for (const std::string& label : labels) {
    if (!number_in(label))
      throw Error("--order", "the label '" + label + "' is not a number",
                  "list all labels in their order: --order LABEL,LABEL,...", Exit::usage);
  }
  std::sort(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return *number_in(a) < *number_in(b); });
  return labels;
}

using nlohmann::ordered_json;

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

void put(ordered_json& to, const std::string& name, const BootstrapInterval& estimate) {
  to[name] = number(estimate.value);
  to[name + "_interval"] = ordered_json::array({number(estimate.low), number(estimate.high)});
}

}  // namespace

size_t Judgements::Names::number(const std::string& name) {
  const auto [at, is_new] = numbers.try_emplace(name, names.size());
  if (is_new) names.push_back(name);
  return at->second;
}

void Judgements::add(const std::string& item, const std::string& annotator, const std::string& label) {
  const size_t place = item_names_.number(item), who = annotators_.number(annotator);
  items_.resize(item_names_.names.size());
  for (const auto& one : items_[place]) {
    if (one.annotator == who)
      throw Error("", "annotator '" + annotator + "' has already judged item '" + item + "'", "", Exit::data);
  }
  items_[place].push_back({who, labels_.number(label)});
  ++size_;
}

std::vector<size_t> Judgements::judged() const {
  std::vector<size_t> counts(annotators_.names.size());
  for (const auto& said : items_)
    for (const auto& one : said) ++counts[one.annotator];
  return counts;
}

std::vector<bool> adjudicators(const Judgements& judgements) {
  const auto judged = judgements.judged();
  std::vector<bool> result;
  for (const size_t count : judged) result.push_back(count < judgements.items().size());
  for (const auto& said : judgements.items()) {
    for (const auto& one : said) {
      if (said.size() < 3 || !differ(said, one.annotator)) result[one.annotator] = false;
    }
  }
  return result;
}

Order order_of(const Judgements& judgements, const std::vector<std::string>& names) {
  const auto labels = names == std::vector<std::string>{"numbers"} ? by_number(judgements.labels()) : names;
  Order order;
  bool numbers = true;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (std::count(labels.begin(), labels.end(), labels[i]) > 1)
      throw Error("--order", "names the label '" + labels[i] + "' twice", "", Exit::usage);
    numbers = numbers && number_in(labels[i]);
  }
  for (size_t i = 0; i < labels.size(); ++i)
    order.values.push_back(numbers ? *number_in(labels[i]) : static_cast<double>(i));
  for (const std::string& label : judgements.labels()) {
    const auto found = std::find(labels.begin(), labels.end(), label);
    if (found == labels.end())
      throw Error("--order", "does not list the label '" + label + "'", suggest(label, labels), Exit::usage);
    order.places.push_back(static_cast<size_t>(found - labels.begin()));
  }
  return order;
}

Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const std::vector<size_t>& items,
                    const statistics::Resampling& how, const Order* order) {
  using statistics::DisagreementWeights;
  using statistics::Scale;
  const auto said = counted(judgements, left_out, items);
  const size_t labels = judgements.labels().size();
  const auto two = the_two(said);
  const auto table = ratings(said, labels);
  Agreement result;
  result.n = said.size();
  result.two = two.has_value();
  const auto estimate = [&](const statistics::Statistic& figure) { return bootstrap(said.size(), figure, how); };
  result.observed = estimate([&](auto rows) { return statistics::observed_agreement(table, rows); });
  const auto fleiss = [&](auto rows) { return statistics::fleiss(table, rows); };
  result.fleiss = two ? statistics::bootstrap(said.size(), fleiss, {.resamples = 0}) : estimate(fleiss);
  const BootstrapInterval none{unknown, unknown, unknown};
  result.cohen = two ? estimate([&](auto rows) { return cohen(said, rows, two->first, labels); }) : none;
  result.alpha = estimate([&](auto rows) { return statistics::krippendorff(table, rows, Scale::nominal); });
  result.ordered = order != nullptr;
  result.linear = result.quadratic = result.ordinal = result.interval = none;
  if (!order) return result;
  const auto in_order = placed(said, order->places);
  const size_t places = order->values.size();
  const auto by_place = ratings(in_order, places);
  const auto weighted = [&](DisagreementWeights weights) {
    return two ? estimate([&](auto rows) { return cohen(in_order, rows, two->first, places, weights); }) : none;
  };
  const auto alpha = [&](Scale scale) {
    return estimate([&](auto rows) { return statistics::krippendorff(by_place, rows, scale, order->values); });
  };
  result.linear = weighted(DisagreementWeights::linear);
  result.quadratic = weighted(DisagreementWeights::quadratic);
  result.ordinal = alpha(Scale::ordinal);
  result.interval = alpha(Scale::interval);
  return result;
}

Agreement agreement(const Judgements& judgements, const std::vector<bool>& left_out, const statistics::Resampling& how,
                    const Order* order) {
  std::vector<size_t> all(judgements.items().size());
  std::iota(all.begin(), all.end(), size_t{0});
  return agreement(judgements, left_out, all, how, order);
}

Adjudication adjudication(const Judgements& judgements, const std::vector<bool>& adjudicators) {
  Adjudication result;
  for (auto said : judgements.items()) {
    std::sort(said.begin(), said.end(), [&](const Judgement& a, const Judgement& b) {
      return std::pair(adjudicators[a.annotator], a.annotator) < std::pair(adjudicators[b.annotator], b.annotator);
    });
    std::vector<size_t> labels;
    for (const auto& one : said) labels.push_back(one.label);
    if (labels.size() < 2)
      ++result.single;
    else if (labels[0] == labels[1])
      ++result.agreed;
    else if (labels.size() == 2)
      ++result.open;
    else
      ++(majority(labels) == no_majority ? result.dropped : result.third);
  }
  return result;
}

size_t majority(const std::vector<size_t>& labels) {
  for (const size_t label : labels) {
    if (2 * static_cast<size_t>(std::count(labels.begin(), labels.end(), label)) > labels.size()) return label;
  }
  return no_majority;
}

ordered_json to_json(const Agreement& agreement) {
  ordered_json result{{"n", agreement.n}};
  put(result, "observed_agreement", agreement.observed);
  put(result, "cohen_kappa", agreement.cohen);
  put(result, "fleiss_kappa", agreement.fleiss);
  put(result, "krippendorff_alpha", agreement.alpha);
  if (!agreement.ordered) return result;
  put(result, "cohen_kappa_linear", agreement.linear);
  put(result, "cohen_kappa_quadratic", agreement.quadratic);
  put(result, "krippendorff_alpha_ordinal", agreement.ordinal);
  put(result, "krippendorff_alpha_interval", agreement.interval);
  return result;
}

std::string text(const BootstrapInterval& estimate) {
  if (std::isnan(estimate.value)) return "none";
  if (std::isnan(estimate.low)) return fmt::format("{:.3f}", estimate.value);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", estimate.value, estimate.low, estimate.high);
}

std::string kappa_text(const Agreement& agreement) {
  return agreement.two ? text(agreement.cohen) + " (Cohen)" : text(agreement.fleiss) + " (Fleiss)";
}

std::vector<std::string> more_text(const Agreement& agreement) {
  std::vector<std::string> lines = {"alpha " + text(agreement.alpha) + " (Krippendorff, nominal)"};
  if (!agreement.ordered) return lines;
  if (agreement.two) {
    lines.push_back("kappa " + text(agreement.linear) + " (Cohen, linear weights)");
    lines.push_back("kappa " + text(agreement.quadratic) + " (Cohen, quadratic weights)");
  }
  lines.push_back("alpha " + text(agreement.ordinal) + " (Krippendorff, ordinal)");
  lines.push_back("alpha " + text(agreement.interval) + " (Krippendorff, interval)");
  return lines;
}

}  // namespace compeer::annotate
