#include <fmt/format.h>

#include <algorithm>

#include "record/status.h"
#include "report/drawing/numbers.h"
#include "report/runs/figures.h"
#include "report/runs/metrics.h"
#include "report/sections/evaluation_parts.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t told_one_by_one = 8;  ///< more runs than this are summed up
constexpr size_t window = 20;          ///< rows at either end of a training run
constexpr size_t most_warnings = 5;
constexpr size_t most_gaps = 6;

void add(std::vector<std::string>& sentences, std::string sentence) {
  if (!sentence.empty()) sentences.push_back(std::move(sentence));
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
  std::vector<Interval> all;
  for (const auto& ends : list) all.push_back({ends.last, missing, missing, 0});
  const int decimals = column_decimals(all);
  const auto rows = std::any_of(list.begin(), list.end(), [](const Ends& ends) { return ends.rows < 2 * window; })
                        ? fmt::format("{} rows (of shorter runs, half)", window)
                        : fmt::format("{} rows", window);
  if (list.size() > told_one_by_one) {
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
  if (parts.empty() || parts.size() > told_one_by_one) return "";
  return fmt::format("Best look at held-out records: {}.", fmt::join(parts, "; "));
}

FindingParagraph of_training(const std::vector<RunData>& runs) {
  FindingParagraph finding{"In training", {}};
  add(finding.sentences, training(runs, "grpo", "reward"));
  add(finding.sentences, training(runs, "sft", "loss"));
  add(finding.sentences, validated(runs));
  return finding;
}

std::string ending(const RunData& run) {
  const std::string state = run.state.empty() ? "in an unknown state"
                            : run.state == "stopped"
                                ? "ended without recording an error (killed, or its machine stopped)"
                                : run.state;
  std::string text = fmt::format("{}: {}", run.name, state);
  if (run.steps_planned > 0) text += fmt::format(" at step {} of {}", run.steps_done, run.steps_planned);
  if (!run.failure) return text + ".";
  const auto& f = *run.failure;
  const auto place = record::place_of_failure(f.phase, f.plugin.value_or(""), f.where);
  text += fmt::format("; rank {}{}{}: {}", f.rank, place.empty() ? "" : ", ", place, f.what);
  return text + (f.help.empty() ? "" : " (" + f.help + ")") + ".";
}

/// What the figures of an evaluation leave out: `part` of `whole`, 0 if unknown.
struct Gap {
  std::string evaluation;
  double part, whole;

  double share() const { return whole > 0 ? part / whole : 0; }
};

std::string counted(double part, double whole, const char* what) {
  return whole > 0 ? fmt::format("{} of {} {}", part, whole, what) : fmt::format("{} {}", part, what);
}

/// Each gap, or of very many only the sum and the worst.
void tell(const std::vector<Gap>& gaps, const char* what, std::vector<std::string>& list) {
  const auto sentence = [&](const Gap& gap) {
    return gap.evaluation + ": " + counted(gap.part, gap.whole, what) + ".";
  };
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

/// What evaluations left out of their figures is said here too, lest a mean over few dialogues, or over one judge of
/// two, look like one over all.
void add_gaps(const std::vector<RunData>& runs, std::vector<std::string>& list) {
  std::vector<Gap> records, scores;
  for (const auto& run : runs) {
    for (const auto& stage : run.stages) {
      if (!measures(stage)) continue;
      const auto evaluation = run.name + ", " + stage.name;
      if (stage.left_out > 0) records.push_back({evaluation, double(stage.left_out), double(stage.in)});
      double invalid = 0;
      for (const auto& [reason, count] : invalid_scores(stage)) invalid += count;
      const auto figures = figures_of(stage.findings);
      const auto all = figures.find("scores");
      if (invalid > 0) scores.push_back({evaluation, invalid, all == figures.end() ? 0 : all->second.mean});
    }
  }
  tell(records, "records were not scored", list);
  tell(scores, "scores are invalid", list);
}

}  // namespace

std::vector<FindingParagraph> findings(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<FindingParagraph> all;
  for (const auto& group : run_evaluations(runs, lineage, Seeds::apart))
    all.push_back({group.heading, sentences_about(runs, lineage, group)});
  for (const auto& group : stage_evaluations(runs, lineage, Seeds::together))
    all.push_back({group.heading, sentences_about(runs, lineage, group)});
  all.push_back(of_training(runs));
  std::erase_if(all, [](const FindingParagraph& finding) { return finding.sentences.empty(); });
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
