#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/compare.h"
#include "report/numbers.h"

namespace compeer::report {

namespace {

constexpr size_t told_one_by_one = 4;
constexpr size_t window = 20;

/// One evaluated model that has a model to be compared with.
struct Pair {
  size_t before, after;
  std::string label_before, label_after;
};

std::vector<Pair> pairs_of(const std::vector<RunData>& runs, const Lineage& lineage, const EvaluationGroup& group) {
  std::vector<Pair> pairs;
  const auto label = [&](size_t run) {
    return group.labels[std::find(group.runs.begin(), group.runs.end(), run) - group.runs.begin()];
  };
  for (const size_t run : group.runs) {
    if (const auto base = before(runs, lineage, group, run)) pairs.push_back({*base, run, label(*base), label(run)});
  }
  return pairs;
}

int decimals_of(const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& metric) {
  std::vector<Estimate> all;
  for (const size_t run : group.runs) all.push_back(runs[run].estimate(metric));
  return column_decimals(all);
}

/// "quality 0.561 [0.540, 0.582] (sft) → 0.702 [0.681, 0.722] (none), +0.141 [+0.112, +0.170]."
std::string change(const std::vector<RunData>& runs, const Pair& pair, const Metric& metric, int decimals) {
  const auto &a = runs[pair.before], &b = runs[pair.after];
  return fmt::format("{} {} ({}) → {} ({}): {}.", metric.title, with_interval(a.estimate(metric.name), decimals),
                     pair.label_before, with_interval(b.estimate(metric.name), decimals), pair.label_after,
                     in_words(difference(a, b, metric.name), decimals));
}

/// For many runs: how many are clearly above and below the model they started from, and where the range lies.
std::string counts(const std::vector<RunData>& runs, const std::vector<Pair>& pairs, const Metric& metric,
                   int decimals) {
  size_t above = 0, below = 0;
  const Pair *lowest = nullptr, *highest = nullptr;
  const auto mean = [&](const Pair* pair) { return runs[pair->after].estimate(metric.name).mean; };
  for (const auto& pair : pairs) {
    const auto d = difference(runs[pair.before], runs[pair.after], metric.name);
    above += d.clear() && d.low > 0;
    below += d.clear() && d.high < 0;
    if (std::isnan(mean(&pair))) continue;
    if (!lowest || mean(&pair) < mean(lowest)) lowest = &pair;
    if (!highest || mean(&pair) > mean(highest)) highest = &pair;
  }
  if (!lowest) return "";
  return fmt::format(
      "{}: of {} trained models {} clearly above and {} clearly below the model they started from; from {} ({}) to {} "
      "({}).",
      metric.title, pairs.size(), above, below, with_interval(runs[lowest->after].estimate(metric.name), decimals),
      lowest->label_after, with_interval(runs[highest->after].estimate(metric.name), decimals), highest->label_after);
}

/// "none against redundancy: quality no clear difference (...), similarity in the group −0.131 [...]."
std::string against(const RunData& a, const RunData& b, const std::string& label_a, const std::string& label_b,
                    const std::vector<Metric>& metrics, const std::vector<int>& decimals) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto d = difference(a, b, metrics[i].name);
    if (std::isfinite(d.value)) parts.push_back(metrics[i].title + " " + in_words(d, decimals[i]));
  }
  return parts.empty() ? "" : fmt::format("{} against {}: {}.", label_b, label_a, fmt::join(parts, "; "));
}

/// Without a known start: everything against the first.
std::vector<Pair> against_first(const EvaluationGroup& group) {
  std::vector<Pair> pairs;
  for (size_t i = 1; i < group.runs.size(); ++i)
    pairs.push_back({group.runs[0], group.runs[i], group.labels[0], group.labels[i]});
  return pairs;
}

void add(std::vector<std::string>& sentences, const std::string& sentence) {
  if (!sentence.empty()) sentences.push_back(sentence);
}

Finding of_group(const std::vector<RunData>& runs, const Lineage& lineage, const EvaluationGroup& group) {
  Finding finding{group.heading, {}};
  std::vector<const RunData*> members;
  for (const size_t run : group.runs) members.push_back(&runs[run]);
  const auto metrics = headline(members);
  std::vector<int> decimals;
  for (const auto& metric : metrics) decimals.push_back(decimals_of(runs, group, metric.name));

  const auto known = pairs_of(runs, lineage, group);
  const auto pairs = known.empty() ? against_first(group) : known;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto& metric = metrics[i];
    if (pairs.empty()) {
      add(finding.sentences,
          fmt::format("{} {}.", metric.title, with_interval(members[0]->estimate(metric.name), decimals[i])));
    } else if (pairs.size() > told_one_by_one) {
      add(finding.sentences, counts(runs, pairs, metric, decimals[i]));
    } else {
      for (const auto& pair : pairs) add(finding.sentences, change(runs, pair, metric, decimals[i]));
    }
  }
  if (pairs.size() > told_one_by_one) return finding;
  for (size_t a = 0; a < pairs.size(); ++a) {
    for (size_t b = a + 1; b < pairs.size(); ++b)
      add(finding.sentences, against(runs[pairs[a].after], runs[pairs[b].after], pairs[a].label_after,
                                     pairs[b].label_after, metrics, decimals));
  }
  return finding;
}

double mean_between(const std::vector<double>& values, size_t first, size_t last) {
  return mean_of({values.begin() + first, values.begin() + last}).mean;
}

std::string training(const RunData& run) {
  const char* metric = run.task == "sft" ? "loss" : "reward";
  const auto* values = run.column(metric);
  if (!values || values->empty()) return "";
  const size_t n = std::min(window, values->size());
  if (values->size() < 2 * n)
    return fmt::format("{}: {} {} over {} rows.", run.name, metric, compact(mean_between(*values, 0, values->size())),
                       values->size());
  return fmt::format("{}: {} {} → {} (means of the first and the last {} of {} rows).", run.name, metric,
                     compact(mean_between(*values, 0, n)),
                     compact(mean_between(*values, values->size() - n, values->size())), n, values->size());
}

std::string failure(const RunData& run) {
  std::string text = fmt::format("{}: {}", run.name,
                                 run.state.empty()        ? "state unknown"
                                 : run.state == "stopped" ? "stopped without a reason left"
                                                          : run.state);
  if (run.steps_planned > 0) text += fmt::format(" at step {} of {}", run.steps_done, run.steps_planned);
  if (!run.failure) return text + ".";
  const auto& f = *run.failure;
  text += fmt::format("; rank {}, phase {}", f.rank, f.phase);
  if (!f.plugin.empty()) text += ", plugin " + f.plugin;
  text += ": " + (f.where.empty() ? "" : f.where + ": ") + f.what;
  return text + (f.help.empty() ? "" : " (" + f.help + ")") + ".";
}

}  // namespace

std::vector<Finding> findings(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<Finding> all;
  const auto groups = evaluation_groups(runs, lineage);
  for (const auto& group : groups) all.push_back(of_group(runs, lineage, group));
  Finding trained{"Training", {}};
  size_t left_out = 0;
  for (const auto& run : runs) {
    if (run.task == "evaluate" || run.rows() == 0) continue;
    if (trained.sentences.size() < 2 * told_one_by_one) {
      add(trained.sentences, training(run));
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) trained.sentences.push_back(fmt::format("{} more in the tables below.", left_out));
  all.push_back(trained);
  std::erase_if(all, [](const Finding& finding) { return finding.sentences.empty(); });
  return all;
}

std::vector<std::string> notices(const std::vector<RunData>& runs) {
  std::vector<std::string> list;
  for (const auto& run : runs) {
    if (!run.finished()) list.push_back(failure(run));
    if (run.rows() == 0) list.push_back(run.name + ": no rows yet.");
    for (const auto& problem : run.problems) list.push_back(run.name + ": " + problem + ".");
    for (const auto& warning : run.warnings) list.push_back(run.name + ": " + warning + ".");
  }
  return list;
}

}  // namespace compeer::report
