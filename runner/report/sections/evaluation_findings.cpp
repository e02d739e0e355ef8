#include <fmt/format.h>

#include <algorithm>

#include "report/drawing/numbers.h"
#include "report/sections/evaluation_parts.h"

namespace compeer::report {

namespace {

constexpr size_t told_one_by_one = 4;  ///< more models than this are counted instead

std::string capital(std::string title) {
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

/// A group, and what is said of its figures by one metric.
struct Told {
  const std::vector<RunData>& runs;
  const EvaluationGroup& group;
  const Metric& metric;
  std::vector<Interval> all = figures(runs, group, metric.name);
  int decimals = column_decimals(all);

  const std::string& label(size_t i) const { return group.candidates[i].label; }
  std::string value(size_t i) const { return with_interval(all[i], decimals); }
  MeanDifference differ(size_t a, size_t b) const {
    return difference(runs, group.candidates[a], group.candidates[b], metric.name);
  }
  std::string change(size_t a, size_t b) const { return in_words(differ(a, b), decimals); }
};

/// "Quality 0.561 [0.541, 0.581] (sft) → 0.702 [0.682, 0.722] (none): +0.141 [+0.113, +0.169]."
std::string change(const Told& told, const BeforeAfter& pair) {
  const auto [a, b] = pair;
  return fmt::format("{} {} ({}) → {} ({}): {}.", capital(told.metric.title), told.value(a), told.label(a),
                     told.value(b), told.label(b), told.change(a, b));
}

/// For many models: how many are clearly above and below the one they started from, and where they lie.
std::string counts(const Told& told, const std::vector<BeforeAfter>& pairs) {
  size_t above = 0, below = 0;
  std::vector<size_t> order;
  for (const auto& [a, b] : pairs) {
    const auto d = told.differ(a, b);
    above += d.clear() && d.low > 0;
    below += d.clear() && d.high < 0;
    if (told.all[b].known()) order.push_back(b);
  }
  if (order.empty()) return "";
  const auto [lowest, highest] = std::minmax_element(
      order.begin(), order.end(), [&](size_t a, size_t b) { return told.all[a].mean < told.all[b].mean; });
  return fmt::format(
      "{}: of {} models {} are clearly above and {} clearly below the one they are compared with; from {} ({}) to {} "
      "({}).",
      capital(told.metric.title), pairs.size(), above, below, told.value(*lowest), told.label(*lowest),
      told.value(*highest), told.label(*highest));
}

/// "redundancy against none: quality no clear difference (...); similarity in the group −0.131 [...]."
std::string against(const std::vector<Told>& told, size_t a, size_t b) {
  std::vector<std::string> parts;
  for (const auto& one : told) {
    if (std::isfinite(one.differ(a, b).value)) parts.push_back(one.metric.title + " " + one.change(a, b));
  }
  if (parts.empty()) return "";
  return fmt::format("{} against {}: {}.", told[0].label(b), told[0].label(a), fmt::join(parts, "; "));
}

std::vector<std::string> about_runs(const std::vector<Told>& told, const std::vector<BeforeAfter>& pairs) {
  std::vector<std::string> sentences;
  for (size_t i = 0; i < told.size(); ++i) {
    if (pairs.empty()) {
      sentences.push_back(fmt::format("{} {}.", capital(told[i].metric.title), told[i].value(0)));
    } else if (pairs.size() > told_one_by_one) {
      sentences.push_back(counts(told[i], pairs));
    } else if (i == 0) {
      for (const auto& pair : pairs) sentences.push_back(change(told[i], pair));
    }
  }
  for (size_t a = 0; !told.empty() && pairs.size() <= told_one_by_one && a < pairs.size(); ++a) {
    for (size_t b = a + 1; b < pairs.size(); ++b) sentences.push_back(against(told, pairs[a].after, pairs[b].after));
  }
  std::erase(sentences, "");
  return sentences;
}

/// Places of the candidates whose figures are known, the best first.
std::vector<size_t> ranking(const std::vector<Interval>& all, Better better) {
  std::vector<size_t> order;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].known()) order.push_back(i);
  }
  const double sign = better == Better::higher ? 1 : -1;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sign * all[a].mean > sign * all[b].mean; });
  return order;
}

/// "mean emotion: 41.0 [38.5, 43.5] (sft); 58.0 [55.5, 60.5] (por)."
std::string listed(const Told& told, const std::vector<size_t>& order) {
  std::string text = told.metric.title + ": ";
  for (size_t i = 0; i < std::min(order.size(), told_one_by_one); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : "; ", told.value(order[i]), told.label(order[i]));
  if (order.size() > told_one_by_one) text += fmt::format("; {} more in the table", order.size() - told_one_by_one);
  return text + ".";
}

std::vector<std::string> about_stages(const Told& told) {
  const auto order = ranking(told.all, told.metric.better);
  if (order.empty()) return {};
  // Nothing to rank: one candidate, no known direction, or equal figures.
  if (told.metric.better == Better::unknown || told.all[order.front()].mean == told.all[order.back()].mean)
    return {listed(told, order)};
  const size_t best = order[0];
  std::string text = fmt::format("{}: best is {} with {}", told.metric.title, told.label(best), told.value(best));
  for (size_t i = 1; i < std::min(order.size(), 1 + told_one_by_one); ++i)
    text += fmt::format("; {}: {}", told.label(order[i]), told.change(best, order[i]));
  if (order.size() > 1 + told_one_by_one)
    text += fmt::format("; {} more in the table", order.size() - 1 - told_one_by_one);
  return {text + "."};
}

}  // namespace

std::vector<std::string> sentences_about(const std::vector<RunData>& runs, const Lineage& lineage,
                                         const EvaluationGroup& group) {
  std::vector<Told> told;
  for (const auto& metric : group.headline) told.push_back({runs, group, metric});
  if (group.plugin.empty()) return about_runs(told, comparisons(runs, lineage, group));
  return told.empty() ? std::vector<std::string>() : about_stages(told[0]);
}

}  // namespace compeer::report
