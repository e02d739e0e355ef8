#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/comparing/evaluations.h"
#include "report/comparing/settings.h"
#include "report/comparing/subject.h"
#include "report/drawing/svg.h"
#include "spec/dotted.h"

namespace compeer::report {

using nlohmann::json;

namespace {

constexpr size_t most_particulars = 4, longest_in_heading = 40;

bool several_of(const RunData& run, const std::string& plugin) {
  return std::count_if(run.stages.begin(), run.stages.end(),
                       [&](const StageData& stage) { return stage.plugin == plugin; }) > 1;
}

/// "rounds = 20, dataset.plugin = profiles": where the circumstances of a group differ from those of others of its
/// plugin.
std::string particulars(const std::vector<json>& all, size_t which) {
  std::vector<std::map<std::string, std::string>> flat;
  for (const auto& one : all) flat.push_back(flattened(one));
  const auto paths = differing(flat);
  std::vector<std::string> told;
  for (const auto& path : paths) {
    const bool of_another = !path.ends_with("plugin") && paths.contains(spec::join(spec::parent(path), "plugin"));
    // Another plugin has settings of its own, and where there is a table it says more than that there is one.
    const auto inner = paths.lower_bound(path + ".");
    const bool table = inner != paths.end() && inner->starts_with(path + ".");
    if (path.ends_with("seed") || of_another || table) continue;
    const auto name = path.starts_with("settings.") ? path.substr(9) : path;
    told.push_back(name + " = " + (flat[which].contains(path) ? shortened(flat[which].at(path), 30) : "none"));
  }
  if (told.size() > most_particulars) told.resize(most_particulars), told.emplace_back("…");
  return fmt::format("{}", fmt::join(told, ", "));
}

/// Groups of stages: each by how it differs from the others of its plugin.
void name_by_particulars(const std::vector<json>& tests, const std::vector<EvaluationGroup*>& groups) {
  for (size_t i = 0; i < groups.size(); ++i) {
    auto& group = *groups[i];
    group.heading = group.plugin;
    if (groups.size() == 1) continue;
    group.particulars = particulars(tests, i);
    group.heading += group.particulars.size() <= longest_in_heading ? " (" + group.particulars + ")"
                                                                    : fmt::format(" ({} of {})", i + 1, groups.size());
  }
}

/// Groups of evaluate runs: by the way of decoding, and by their data where these differ.
void name_by_decoding(const std::vector<const RunData*>& firsts, const std::vector<EvaluationGroup*>& groups) {
  const auto text = [](const json& value) { return value.is_string() ? value.get<std::string>() : "?"; };
  const auto data = [&](const RunData& run) {
    return text(run.setting("dataset", "plugin")) + ", " + text(run.setting("evaluate", "split"));
  };
  std::set<std::string> kinds;
  for (const auto* run : firsts) kinds.insert(data(*run));
  std::map<std::string, int> taken;
  for (size_t i = 0; i < groups.size(); ++i) {
    auto& heading = groups[i]->heading;
    heading = decoding_of(*firsts[i]);
    if (kinds.size() > 1) heading += " (" + data(*firsts[i]) + ")";
    if (const int n = ++taken[heading]; n > 1) heading += fmt::format(" (other settings, {})", n);
  }
}

/// "results/ur-1/checkpoints/last" -> the run that made it, by name if it is reported on; any other path as it is. Of
/// several seeds what these have in common.
std::string subject_of(const std::vector<RunData>& runs, const Candidate& candidate, const Lineage& lineage) {
  std::vector<std::vector<std::string>> sources;  // the first path's, the second's
  for (const auto& one : candidate.evaluations) {
    const auto paths = subject_paths(runs[one.run], one.stage);
    sources.resize(std::max(sources.size(), paths.size()));
    for (size_t i = 0; i < paths.size(); ++i) {
      const auto made_by = lineage.run_of(paths[i]);
      sources[i].push_back(made_by ? runs[*made_by].name : paths[i]);
    }
  }
  std::string text;
  for (const auto& names : sources) text += (text.empty() ? "" : " and ") + common_start(names);
  return text;
}

}  // namespace

void name_groups(const std::vector<RunData>& runs, std::vector<EvaluationGroup>& groups) {
  std::map<std::string, std::vector<EvaluationGroup*>> by_plugin;
  for (auto& group : groups) by_plugin[group.plugin].push_back(&group);
  for (const auto& [plugin, of_plugin] : by_plugin) {
    std::vector<const RunData*> firsts;
    std::vector<json> tests;
    for (const auto* group : of_plugin) {
      const auto& first = group->candidates.front().evaluations.front();
      firsts.push_back(&runs[first.run]);
      tests.push_back(circumstances(runs[first.run], first.stage));
    }
    plugin.empty() ? name_by_decoding(firsts, of_plugin) : name_by_particulars(tests, of_plugin);
  }
}

void name_candidates(const std::vector<RunData>& runs, const Lineage& lineage, EvaluationGroup& group) {
  std::map<std::string, size_t> alike;
  for (auto& candidate : group.candidates) {
    std::vector<std::string> of_runs;
    for (const auto& one : candidate.evaluations) of_runs.push_back(runs[one.run].name);
    const auto& [run, stage, test] = candidate.evaluations.front();
    candidate.name = common_start(of_runs);
    if (stage > 0 && several_of(runs[run], group.plugin))
      candidate.name += "-" + runs[run].stages[stage].name.substr(3);
    candidate.subject = subject_of(runs, candidate, lineage);
    ++alike[candidate.name];
  }
  std::vector<std::string> names;
  for (auto& candidate : group.candidates) {
    // Stages of one run that have no labels.
    if (alike[candidate.name] > 1 && !candidate.subject.empty()) candidate.name += "-" + candidate.subject;
    names.push_back(candidate.name);
  }
  const auto labels = short_labels(names);
  for (size_t i = 0; i < labels.size(); ++i) group.candidates[i].label = labels[i];
}

}  // namespace compeer::report
