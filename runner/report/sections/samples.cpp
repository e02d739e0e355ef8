#include <fmt/format.h>

#include <algorithm>

#include "report/comparing/evaluations.h"
#include "report/sections/sample_group.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t most_bytes = 600'000, most_prompts = 6, most_runs = 6, most_completions = 4, open_at_first = 1;

const SampleGroup* group_of(const RunData& run, const std::string& example) {
  for (const auto& group : run.groups) {
    if (group.example_id == example) return &group;
  }
  return nullptr;
}

/// The runs of a group of evaluations that kept rollouts, and their labels: at most `most_runs`, the baseline first.
std::vector<std::pair<size_t, std::string>> shown_runs(const std::vector<RunData>& runs, const EvaluationGroup& group) {
  std::vector<std::pair<size_t, std::string>> shown;
  for (const auto& candidate : group.candidates) {
    const size_t run = candidate.evaluations.front().run;
    if (!runs[run].groups.empty() && shown.size() < most_runs) shown.emplace_back(run, candidate.label);
  }
  return shown;
}

/// Prompts all of them answered, in the order of the first one's records.
std::vector<std::string> shared_prompts(const std::vector<RunData>& runs,
                                        const std::vector<std::pair<size_t, std::string>>& which) {
  std::vector<std::string> ids;
  for (const auto& group : runs[which.front().first].groups) {
    const bool everywhere = std::all_of(which.begin(), which.end(),
                                        [&](const auto& one) { return group_of(runs[one.first], group.example_id); });
    if (everywhere && ids.size() < most_prompts) ids.push_back(group.example_id);
  }
  return ids;
}

void write_block(Markup& out, bool open, const std::string& lead, const std::string& prompt,
                 const std::vector<SampleColumn>& columns) {
  const auto details =
      open ? out.open("details", {{"class", "sample"}, {"open", "open"}}) : out.open("details", {{"class", "sample"}});
  {
    const auto summary = out.open("summary");
    out.element("b", {}, lead);
    out.element("span", {{"dir", "auto"}}, last_turn(prompt));
  }
  write_prompt(out, prompt);
  write_columns(out, columns, most_completions);
}

void write_evaluation(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                      const EvaluationGroup& group) {
  const auto which = shown_runs(runs, group);
  if (which.empty()) return;
  const auto prompts = shared_prompts(runs, which);
  if (prompts.empty()) return;
  out.element("h3", {}, group.heading);
  const bool all = which.size() == group.candidates.size();
  out.element("p", {{"class", "how"}},
              fmt::format("The first {} prompts that {} answered, in the order of the data{}.", prompts.size(),
                          which.size() == 1 ? runs[which[0].first].name : "all runs shown",
                          all ? "" : fmt::format("; {} of {} runs", which.size(), group.candidates.size())));
  for (size_t i = 0; i < prompts.size() && out.size() < most_bytes; ++i) {
    std::vector<SampleColumn> columns;
    for (const auto& [run, label] : which)
      columns.push_back({label, lineage.style(run), group_of(runs[run], prompts[i])});
    write_block(out, i < open_at_first, prompts[i], columns[0].group->prompt, columns);
  }
}

/// First group of the first and of the last step: usually different prompts, so each block shows its own.
void write_training(Markup& out, const RunData& run) {
  if (run.groups.empty()) return;
  std::vector<const SampleGroup*> ends = {&run.groups.front()};
  for (const auto& group : run.groups) {
    if (group.step != ends.back()->step) ends.push_back(&group);
  }
  for (const auto* group : ends)
    write_block(out, false, fmt::format("{}, step {}", run.name, group->step), group->prompt,
                {{"group of " + group->example_id, {}, group}});
}

}  // namespace

void write_samples(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  for (const auto& group : run_evaluations(runs, lineage, Seeds::apart)) write_evaluation(out, runs, lineage, group);
  bool headed = false;
  for (const auto& run : runs) {
    if (run.task == "evaluate" || run.groups.empty() || out.size() > most_bytes) continue;
    if (!headed) {
      out.element("h3", {}, "From training");
      out.element("p", {{"class", "how"}},
                  "Of each run the first group of its first and of its last step, with what its advantages were "
                  "computed from.");
    }
    headed = true;
    write_training(out, run);
  }
}

}  // namespace compeer::report
