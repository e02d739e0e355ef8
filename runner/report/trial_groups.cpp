#include <fmt/format.h>

#include <algorithm>

#include "report/compare.h"
#include "report/metrics.h"
#include "report/trials.h"

namespace compeer::report {

namespace {

using nlohmann::json;

bool is_figure(const json& value) { return value.is_object() && value.contains("value") && value.contains("low"); }

double number_in(const json& table, const char* key) {
  return table.contains(key) && table[key].is_number() ? table[key].get<double>() : missing;
}

Estimate estimate_of(const json& figure) {
  const double n = number_in(figure, "n");
  return {number_in(figure, "value"), number_in(figure, "low"), number_in(figure, "high"),
          std::isfinite(n) ? static_cast<int64_t>(n) : 0};
}

void gather(const json& findings, const std::string& path, int depth, std::map<std::string, Estimate>& all) {
  for (const auto& [name, value] : findings.items()) {
    if (path.empty() && (name == "columns" || name == "curves")) continue;
    if (is_figure(value)) {
      all[path + name] = estimate_of(value);
    } else if (value.is_object() && depth < 8) {
      gather(value, path + name + "/", depth + 1, all);
    } else if (value.is_number()) {
      all[path + name] = {value.get<double>(), missing, missing, 0};
    }
  }
}

bool has_figure(const json& findings, int depth = 0) {
  return std::any_of(findings.begin(), findings.end(), [&](const json& value) {
    return is_figure(value) || (value.is_object() && depth < 8 && has_figure(value, depth + 1));
  });
}

std::vector<std::string> columns_of(const json& findings) {
  std::vector<std::string> names;
  if (!findings.contains("columns") || !findings["columns"].is_array()) return names;
  for (const auto& name : findings["columns"])
    if (name.is_string()) names.push_back(name.get<std::string>());
  return names;
}

/// Settings that say who is tested: those of the supporter; where there is none, all but the plugins that take part.
bool names_subject(const json& settings, const std::string& key) {
  if (settings.contains("supporter")) return key.starts_with("supporter");
  return !(settings[key].is_object() && settings[key].contains("plugin")) && key != "plugin";
}

/// What must agree for two trials to measure the same thing: data, what became of it before, and the rest of the
/// settings.
std::string comparable(const RunData& run, size_t number, const Lineage& lineage) {
  json others = run.stages[number].settings;
  for (const auto& [key, value] : run.stages[number].settings.items()) {
    if (key == "label" || names_subject(run.stages[number].settings, key)) others.erase(key);
  }
  json before = json::array();
  for (size_t i = 1; i < number; ++i) {
    if (!is_trial(run.stages[i])) before.push_back(run.stages[i].settings);
  }
  return lineage.in_common(
      {run.stages[number].plugin, others, before, run.spec.value("dataset", json()), run.spec.value("data", json())});
}

/// "results/ur-1/checkpoints/last" -> the run that made it, by name if it is reported on; any other path as it is.
std::string source_of(const std::string& path, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto made_by = lineage.run_of(path);
  return made_by ? runs[*made_by].name : path;
}

/// Paths that the settings of who is tested name, the first first: of the supporter, or of the judge's models.
std::vector<std::string> paths_of(const json& settings) {
  std::vector<std::string> paths;
  const auto add = [&](const json& table, const char* key) {
    if (table.is_object() && table.contains(key) && table[key].is_string()) paths.push_back(table[key]);
  };
  if (settings.contains("supporter")) {
    const json& supporter = settings["supporter"];
    for (const char* key : {"path", "model"}) add(supporter, key);
    if (paths.empty()) add(supporter, "plugin");
  } else {
    for (const char* key : {"model", "outcome_model"}) add(settings, key);
  }
  return paths;
}

/// Of several seeds what their names have in common.
std::string subject_of(const std::vector<RunData>& runs, const TrialKind& kind, const Lineage& lineage) {
  std::vector<std::vector<std::string>> sources;  // the first path's, the second's
  for (const auto& place : kind.trials) {
    const auto paths = paths_of(runs[place.run].stages[place.stage].settings);
    sources.resize(std::max(sources.size(), paths.size()));
    for (size_t i = 0; i < paths.size(); ++i) sources[i].push_back(source_of(paths[i], runs, lineage));
  }
  std::string text;
  for (const auto& names : sources) text += (text.empty() ? "" : " and ") + common_start(names);
  return text;
}

/// A model that a run taught looks like that run.
size_t style_of(const RunData& run, size_t number, const Lineage& lineage, size_t otherwise) {
  for (const auto& path : paths_of(run.stages[number].settings)) {
    if (const auto made_by = lineage.run_of(path)) return lineage.style(*made_by);
  }
  return otherwise;
}

struct Found {
  TrialKind::Place place;
  std::string group, kind;
};

std::vector<Found> find_trials(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<Found> all;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 1; i < runs[run].stages.size(); ++i) {
      const auto& stage = runs[run].stages[i];
      if (!is_trial(stage)) continue;
      const auto group = comparable(runs[run], i, lineage);
      all.push_back({{run, i}, group, group + lineage.in_common(stage.settings)});
    }
  }
  return all;
}

bool several_of(const RunData& run, const std::string& plugin) {
  return std::count_if(run.stages.begin(), run.stages.end(),
                       [&](const StageData& stage) { return stage.plugin == plugin; }) > 1;
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

/// Several judges tested in one run would all look like that run.
void tell_apart(TrialGroup& group) {
  std::map<size_t, size_t> times;
  for (const auto& kind : group.kinds) ++times[kind.style];
  if (times.size() == group.kinds.size()) return;
  for (size_t i = 0; i < group.kinds.size(); ++i) group.kinds[i].style = i;
}

}  // namespace

bool is_trial(const StageData& stage) { return stage.findings.contains("columns") || has_figure(stage.findings); }

std::vector<TrialGroup> trial_groups(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<TrialGroup> groups;
  std::map<std::string, size_t> places;
  std::map<std::string, std::pair<size_t, size_t>> kinds;
  for (const auto& [place, group_key, kind_key] : find_trials(runs, lineage)) {
    const auto& run = runs[place.run];
    const auto& stage = run.stages[place.stage];
    const auto [found, is_new] = places.emplace(group_key, groups.size());
    if (is_new) groups.push_back({stage.plugin, stage.plugin, {}, {}});
    auto& group = groups[found->second];
    for (const auto& name : columns_of(stage.findings)) {
      if (std::find(group.columns.begin(), group.columns.end(), name) == group.columns.end())
        group.columns.push_back(name);
    }
    const auto [kind, first] = kinds.emplace(kind_key, std::pair(found->second, group.kinds.size()));
    if (first) {
      const auto style = style_of(run, place.stage, lineage, lineage.style(place.run));
      group.kinds.push_back({"", "", "", style, {}});
    }
    group.kinds[kind->second.second].trials.push_back(place);
  }
  std::map<std::string, int> taken;
  for (auto& group : groups) {
    if (const int n = ++taken[group.plugin]; n > 1) group.heading += fmt::format(" (other data or settings, {})", n);
    for (auto& kind : group.kinds) kind.subject = subject_of(runs, kind, lineage);
    name_kinds(runs, group);
    tell_apart(group);
  }
  return groups;
}

std::map<std::string, Estimate> figures_of(const json& findings) {
  std::map<std::string, Estimate> all;
  if (findings.is_object()) gather(findings, "", 0, all);
  return all;
}

Estimate figure_of(const std::vector<RunData>& runs, const TrialKind& kind, const std::string& path) {
  std::vector<Estimate> all;
  std::vector<double> means;
  for (const auto& place : kind.trials) {
    const auto figures = figures_of(runs[place.run].stages[place.stage].findings);
    const auto found = figures.find(path);
    all.push_back(found == figures.end() ? Estimate{} : found->second);
    means.push_back(all.back().mean);
  }
  return all.size() == 1 ? all[0] : mean_of(means);
}

std::vector<Standing> standings(const std::vector<Estimate>& figures, const std::string& name) {
  std::vector<Standing> all(figures.size());
  const auto better = better_figure(name);
  std::vector<size_t> order;
  for (size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].known()) order.push_back(i);
  }
  if (better == Better::unknown || order.size() < 2) return all;
  const double sign = better == Better::higher ? 1 : -1;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sign * figures[a].mean > sign * figures[b].mean; });
  const double best = figures[order[0]].mean;
  double second = missing;
  for (const size_t i : order) {
    if (figures[i].mean != best && !std::isfinite(second)) second = figures[i].mean;
    all[i].best = figures[i].mean == best;
    all[i].second = figures[i].mean == second;
    const auto d = difference(figures[i], figures[order[0]]);
    all[i].level = !all[i].best && d.known() && !d.clear();
  }
  if (!std::isfinite(second)) return std::vector<Standing>(figures.size());  // all alike
  return all;
}

}  // namespace compeer::report
