#include "report/sections/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/failure_text.h"
#include "report/comparing/compare.h"
#include "report/comparing/trial_groups.h"
#include "report/drawing/numbers.h"
#include "report/runs/figures.h"
#include "report/runs/validation.h"
#include "report/sections/trial_findings.h"

namespace compeer::report {

namespace {

constexpr size_t told_one_by_one = 4;  ///< more trained models than this are counted instead
constexpr size_t window = 20;          ///< rows at either end of a training run
constexpr size_t most_warnings = 5;
constexpr size_t most_gaps = 6;

std::string capital(std::string title) {
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

int decimals_of(const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& metric) {
  std::vector<Estimate> all;
  for (const size_t run : group.runs) all.push_back(runs[run].estimate(metric));
  return column_decimals(all);
}

/// "quality 0.561 [0.541, 0.581] → 0.702 [0.682, 0.722] with none: +0.141 [+0.113, +0.169]."
std::string change(const std::vector<RunData>& runs, const Comparison& pair, const Metric& metric, int decimals) {
  const auto &a = runs[pair.before], &b = runs[pair.after];
  return fmt::format("{} {} ({}) → {} ({}): {}.", capital(metric.title),
                     with_interval(a.estimate(metric.name), decimals), pair.label_before,
                     with_interval(b.estimate(metric.name), decimals), pair.label_after,
                     in_words(difference(a, b, metric.name), decimals));
}

/// For many models: how many are clearly above and below the one they started from, and where they lie.
std::string counts(const std::vector<RunData>& runs, const std::vector<Comparison>& pairs, const Metric& metric,
                   int decimals) {
  size_t above = 0, below = 0;
  std::vector<const Comparison*> order;
  const auto estimate = [&](const Comparison* pair) { return runs[pair->after].estimate(metric.name); };
  for (const auto& pair : pairs) {
    const auto d = difference(runs[pair.before], runs[pair.after], metric.name);
    above += d.clear() && d.low > 0;
    below += d.clear() && d.high < 0;
    if (estimate(&pair).known()) order.push_back(&pair);
  }
  if (order.empty()) return "";
  const auto [lowest, highest] = std::minmax_element(
      order.begin(), order.end(), [&](auto* a, auto* b) { return estimate(a).mean < estimate(b).mean; });
  return fmt::format(
      "{}: of {} models {} are clearly above and {} clearly below the one they are compared with; from {} ({}) to {} "
      "({}).",
      capital(metric.title), pairs.size(), above, below, with_interval(estimate(*lowest), decimals),
      (*lowest)->label_after, with_interval(estimate(*highest), decimals), (*highest)->label_after);
}

/// "redundancy against none: quality no clear difference (...); similarity in the group −0.131 [...]."
std::string against(const std::vector<RunData>& runs, const Comparison& a, const Comparison& b,
                    const std::vector<Metric>& metrics, const std::vector<int>& decimals) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto d = difference(runs[a.after], runs[b.after], metrics[i].name);
    if (std::isfinite(d.value)) parts.push_back(metrics[i].title + " " + in_words(d, decimals[i]));
  }
  return parts.empty() ? "" : fmt::format("{} against {}: {}.", b.label_after, a.label_after, fmt::join(parts, "; "));
}

void add(std::vector<std::string>& sentences, std::string sentence) {
  if (!sentence.empty()) sentences.push_back(std::move(sentence));
}

Finding of_group(const std::vector<RunData>& runs, const Lineage& lineage, const EvaluationGroup& group) {
  Finding finding{group.heading, {}};
  std::vector<const RunData*> members;
  for (const size_t run : group.runs) members.push_back(&runs[run]);
  const auto metrics = headline(members);
  std::vector<int> decimals;
  for (const auto& metric : metrics) decimals.push_back(decimals_of(runs, group, metric.name));
  const auto pairs = comparisons(runs, lineage, group);

  for (size_t i = 0; i < metrics.size(); ++i) {
    if (pairs.empty()) {
      const auto text = with_interval(members[0]->estimate(metrics[i].name), decimals[i]);
      add(finding.sentences, fmt::format("{} {}.", capital(metrics[i].title), text));
    } else if (pairs.size() > told_one_by_one) {
      add(finding.sentences, counts(runs, pairs, metrics[i], decimals[i]));
    } else if (i == 0) {
      for (const auto& pair : pairs) add(finding.sentences, change(runs, pair, metrics[i], decimals[i]));
    }
  }
  for (size_t a = 0; pairs.size() <= told_one_by_one && a < pairs.size(); ++a) {
    for (size_t b = a + 1; b < pairs.size(); ++b)
      add(finding.sentences, against(runs, pairs[a], pairs[b], metrics, decimals));
  }
  return finding;
}

double mean_between(const std::vector<double>& values, size_t first, size_t last) {
  return statistics::mean_interval(std::span(values).subspan(first, last - first)).mean;
}

/// Means of the first and the last `window` rows; of a shorter run, of its halves.
struct Ends {
  std::string name;
  size_t rows;
  double first, last;
};

std::vector<Ends> ends_of(const std::vector<RunData>& runs, const std::string& task, const char* metric) {
  std::vector<Ends> list;
  for (const auto& run : runs) {
    const auto* values = run.task == task ? run.column(metric) : nullptr;
    if (!values || values->size() < 2) continue;
    const size_t rows = values->size(), n = std::min(window, rows / 2);
    const Ends ends{run.name, rows, mean_between(*values, 0, n), mean_between(*values, rows - n, rows)};
    if (std::isfinite(ends.first) && std::isfinite(ends.last)) list.push_back(ends);
  }
  return list;
}

std::string training(const std::vector<RunData>& runs, const std::string& task, const char* metric) {
  const auto list = ends_of(runs, task, metric);
  if (list.empty()) return "";
  std::vector<Estimate> all;
  for (const auto& ends : list) all.push_back({ends.last, missing, missing, 0});
  const int decimals = column_decimals(all);
  const auto rows = std::any_of(list.begin(), list.end(), [](const Ends& ends) { return ends.rows < 2 * window; })
                        ? fmt::format("{} rows (of shorter runs, half)", window)
                        : fmt::format("{} rows", window);
  if (list.size() > 2 * told_one_by_one) {
    const auto [low, high] =
        std::minmax_element(list.begin(), list.end(), [](auto& a, auto& b) { return a.last < b.last; });
    return fmt::format("Mean {} of the last {}, {} {} runs: from {} ({}) to {} ({}).", metric, rows, list.size(), task,
                       fixed(low->last, decimals), low->name, fixed(high->last, decimals), high->name);
  }
  std::vector<std::string> parts;
  for (const auto& ends : list)
    parts.push_back(fmt::format("{} {} → {}", ends.name, fixed(ends.first, decimals), fixed(ends.last, decimals)));
  return fmt::format("Mean {} of the first → the last {}: {}.", metric, rows, fmt::join(parts, "; "));
}

/// The best look of each run at held-out records, by the metric that decides.
std::string validated(const std::vector<RunData>& runs) {
  std::vector<std::string> parts;
  for (const auto& run : runs) {
    const auto metrics = validation_metrics({&run});
    if (metrics.empty() || !std::isfinite(best_step(run))) continue;
    parts.push_back(fmt::format("{} {} {} at step {:.0f}", run.name, metrics[0].title,
                                compact(run.estimate(metrics[0].name).mean), best_step(run)));
  }
  if (parts.empty() || parts.size() > 2 * told_one_by_one) return "";
  return fmt::format("Best look at held-out records: {}.", fmt::join(parts, "; "));
}

Finding of_training(const std::vector<RunData>& runs) {
  Finding finding{"In training", {}};
  add(finding.sentences, training(runs, "grpo", "reward"));
  add(finding.sentences, training(runs, "sft", "loss"));
  add(finding.sentences, validated(runs));
  return finding;
}

std::string ending(const RunData& run) {
  const std::string state = run.state.empty()        ? "in an unknown state"
                            : run.state == "stopped" ? "stopped without leaving a reason"
                                                     : run.state;
  std::string text = fmt::format("{}: {}", run.name, state);
  if (run.steps_planned > 0) text += fmt::format(" at step {} of {}", run.steps_done, run.steps_planned);
  if (!run.failure) return text + ".";
  const auto& f = *run.failure;
  const auto place = record::place_of_failure(f.phase, f.plugin, f.where);
  text += fmt::format("; rank {}{}{}: {}", f.rank, place.empty() ? "" : ", ", place, f.what);
  return text + (f.help.empty() ? "" : " (" + f.help + ")") + ".";
}

/// What the figures of a trial leave out: `part` of `whole`, 0 if unknown.
struct Gap {
  std::string trial;
  double part, whole;

  double share() const { return whole > 0 ? part / whole : 0; }
};

std::string counted(double part, double whole, const char* what) {
  return whole > 0 ? fmt::format("{} of {} {}", part, whole, what) : fmt::format("{} {}", part, what);
}

/// Each gap, or of very many only the sum and the worst.
void tell(const std::vector<Gap>& gaps, const char* what, std::vector<std::string>& list) {
  const auto sentence = [&](const Gap& gap) { return gap.trial + ": " + counted(gap.part, gap.whole, what) + "."; };
  if (gaps.size() <= most_gaps) {
    for (const auto& gap : gaps) list.push_back(sentence(gap));
    return;
  }
  double part = 0, whole = 0;
  for (const auto& gap : gaps) part += gap.part, whole += gap.whole;
  if (std::any_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.whole == 0; })) whole = 0;
  const auto worst =
      std::max_element(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.share() < b.share(); });
  list.push_back(fmt::format("In {} tests {}; most in {}", gaps.size(), counted(part, whole, what), sentence(*worst)));
}

/// What trials left out of their figures is said here too, lest a mean over few dialogues, or over one judge of two,
/// look like one over all.
void add_gaps(const std::vector<RunData>& runs, std::vector<std::string>& list) {
  std::vector<Gap> records, scores;
  for (const auto& run : runs) {
    for (const auto& stage : run.stages) {
      if (!is_trial(stage)) continue;
      const auto trial = run.name + ", " + stage.name;
      if (stage.left_out > 0) records.push_back({trial, double(stage.left_out), double(stage.in)});
      double invalid = 0;
      for (const auto& [reason, count] : invalid_scores(stage)) invalid += count;
      const auto figures = figures_of(stage.findings);
      const auto all = figures.find("scores");
      if (invalid > 0) scores.push_back({trial, invalid, all == figures.end() ? 0 : all->second.mean});
    }
  }
  tell(records, "records were not scored", list);
  tell(scores, "scores are invalid", list);
}

}  // namespace

std::vector<Finding> findings(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<Finding> all;
  for (const auto& group : evaluation_groups(runs, lineage)) all.push_back(of_group(runs, lineage, group));
  for (const auto& group : trial_groups(runs, lineage)) all.push_back({group.heading, trial_findings(runs, group)});
  all.push_back(of_training(runs));
  std::erase_if(all, [](const Finding& finding) { return finding.sentences.empty(); });
  return all;
}

std::vector<std::string> notices(const std::vector<RunData>& runs) {
  std::vector<std::string> list;
  for (const auto& run : runs) {
    if (!run.finished()) list.push_back(ending(run));
    if (run.rows() == 0) list.push_back(run.name + ": no rows.");
    if (run.rows() > 0 && run.summary.empty() && run.task != "data") list.push_back(run.name + ": no results.");
    for (const auto& remark : run.remarks) list.push_back(run.name + ": " + remark + ".");
    for (const auto& problem : run.problems) list.push_back(run.name + ": " + problem + ".");
    for (size_t i = 0; i < std::min(most_warnings, run.warnings.size()); ++i)
      list.push_back(run.name + ": " + run.warnings[i] + ".");
    if (run.warnings.size() > most_warnings)
      list.push_back(fmt::format("{}: {} more warnings.", run.name, run.warnings.size() - most_warnings));
  }
  add_gaps(runs, list);
  return list;
}

}  // namespace compeer::report
