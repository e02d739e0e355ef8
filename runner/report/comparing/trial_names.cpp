#include "report/comparing/trial_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/comparing/settings.h"
#include "report/comparing/tested.h"
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
  std::set<std::string> paths;
  for (const auto& one : all) {
    flat.push_back(flattened(one));
    for (const auto& [path, value] : flat.back()) paths.insert(path);
  }
  const auto differs = [&](const std::string& path) {
    std::set<std::string> values;
    for (const auto& one : flat) values.insert(one.contains(path) ? one.at(path) : "");
    return values.size() > 1;
  };
  std::vector<std::string> told;
  for (const auto& path : paths) {
    const bool of_another = !path.ends_with("plugin") && differs(spec::join(spec::parent(path), "plugin"));
    // Another plugin has settings of its own, and where there is a table it says more than that there is one.
    const auto inner = paths.lower_bound(path + ".");
    const bool table = inner != paths.end() && inner->starts_with(path + ".");
    if (!differs(path) || path.ends_with("seed") || of_another || table) continue;
    const auto name = path.starts_with("settings.") ? path.substr(9) : path;
    told.push_back(name + " = " + (flat[which].contains(path) ? shortened(flat[which].at(path), 30) : "none"));
  }
  if (told.size() > most_particulars) told.resize(most_particulars), told.emplace_back("…");
  return fmt::format("{}", fmt::join(told, ", "));
}

}  // namespace

void name_groups(const std::vector<RunData>& runs, std::vector<TrialGroup>& groups) {
  std::map<std::string, std::vector<size_t>> by_plugin;
  for (size_t i = 0; i < groups.size(); ++i) by_plugin[groups[i].plugin].push_back(i);
  for (const auto& [plugin, places] : by_plugin) {
    if (places.size() < 2) continue;
    std::vector<json> all;
    for (const size_t place : places) {
      const auto& first = groups[place].kinds.front().trials.front();
      all.push_back(circumstances(runs[first.run], first.stage));
    }
    for (size_t i = 0; i < places.size(); ++i) {
      auto& group = groups[places[i]];
      group.particulars = particulars(all, i);
      group.heading += group.particulars.size() <= longest_in_heading
                           ? " (" + group.particulars + ")"
                           : fmt::format(" ({} of {})", i + 1, places.size());
    }
  }
}

void name_kinds(const std::vector<RunData>& runs, TrialGroup& group) {
  std::vector<std::string> names;
  for (auto& kind : group.kinds) {
    std::vector<std::string> of_runs;
    for (const auto& place : kind.trials) of_runs.push_back(runs[place.run].name);
    const auto& first = runs[kind.trials.front().run];
    kind.name = common_start(of_runs);
    if (several_of(first, group.plugin)) kind.name += "-" + first.stages[kind.trials.front().stage].name.substr(3);
    names.push_back(kind.name);
  }
  const auto labels = short_labels(names);
  for (size_t i = 0; i < labels.size(); ++i) group.kinds[i].label = labels[i];
}

}  // namespace compeer::report
