// Notices for the reader, shown before all figures.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "record/status.h"
#include "report/runs/metrics.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t most_warnings = 5, most_gaps = 6;

std::string ending(const RunData& run) {
  std::string text = run.state.empty()        ? "in an unknown state"
                     : run.state == "stopped" ? "ended without recording an error (killed, or its machine stopped)"
                                              : run.state;
  if (run.steps_planned > 0) text += fmt::format(" at step {} of {}", run.steps_done, run.steps_planned);
  if (!run.failure) return text;
  const auto& f = *run.failure;
  const auto place = record::place_of_failure(f.phase, f.plugin.value_or(""), f.where);
  text += fmt::format("; rank {}{}{}: {}", f.rank, place.empty() ? "" : ", ", place, f.what);
  return text + (f.help.empty() ? "" : " (" + f.help + ")");
}

/// Returns counts of answers that are included in figures although they are empty or unreadable: "answers without a
/// reply", "history: True, unreadable".
std::map<std::string, double> flaws_of(const StageData& stage) {
  std::map<std::string, double> flaws;
  for (const auto& [name, count] : stage.counts) {
    if (count > 0 && name.find(" without a ") != std::string::npos) flaws[name] += count;
    if (count > 0 && name.ends_with(", unreadable")) flaws["answers unreadable"] += count;
  }
  return flaws;
}

/// Adds what is missing from, or empty in, evaluations' figures, so that a mean over few records or one of two judges
/// is not mistaken for one over all. Beyond `most_gaps` notices only their number is shown.
void add_gaps(const std::vector<RunData>& runs, std::vector<std::string>& list) {
  std::vector<std::string> gaps;
  for (const auto& run : runs) {
    for (const auto& stage : run.stages) {
      if (!measures(stage)) continue;
      double invalid = 0;
      for (const auto& [reason, count] : invalid_scores(stage)) invalid += count;
      const auto figures = figures_of(stage.findings);
      const auto scores = figures.find("scores");
      const auto of_all = scores == figures.end() ? "" : fmt::format(" of {}", scores->second.mean);
      if (stage.left_out > 0)
        gaps.push_back(
            fmt::format("{}, {}: {} of {} records not scored.", run.name, stage.name, stage.left_out, stage.in));
      if (invalid > 0)
        gaps.push_back(fmt::format("{}, {}: {}{} scores invalid.", run.name, stage.name, invalid, of_all));
      for (const auto& [what, count] : flaws_of(stage))
        gaps.push_back(fmt::format("{}, {}: {} {}.", run.name, stage.name, count, what));
    }
  }
  const size_t shown = std::min(gaps.size(), most_gaps);
  list.insert(list.end(), gaps.begin(), gaps.begin() + shown);
  if (gaps.size() > shown)
    list.push_back(fmt::format("{} more notices of records or scores that evaluations omitted: see their tables.",
                               gaps.size() - shown));
}

}  // namespace

std::vector<std::string> notices(const std::vector<RunData>& runs) {
  std::vector<std::string> list;
  for (const auto& run : runs) {
    const auto add = [&](const std::string& what) { list.push_back(run.name + ": " + what + "."); };
    if (!run.finished()) add(ending(run));
    if (run.rows() == 0) add("no rows");
    if (run.rows() > 0 && run.summary.empty() && run.task != "data") add("no results");
    for (const auto& remark : run.remarks) add(remark);
    for (const auto& problem : run.problems) add(problem);
    const size_t shown = std::min(most_warnings, run.warnings.size());
    for (size_t i = 0; i < shown; ++i) add(run.warnings[i]);
    if (run.warnings.size() > shown) add(fmt::format("{} more warnings", run.warnings.size() - shown));
  }
  add_gaps(runs, list);
  return list;
}

}  // namespace compeer::report
