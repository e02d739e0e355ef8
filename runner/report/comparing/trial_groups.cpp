#include "report/comparing/trial_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/comparing/compare.h"
#include "report/comparing/settings.h"
#include "report/drawing/svg.h"
#include "report/runs/metrics.h"
#include "spec/dotted.h"

namespace compeer::report {

namespace {

using nlohmann::json;

constexpr size_t most_particulars = 4, longest_in_heading = 40;

std::vector<std::string> texts_in(const json& findings, const char* key) {
  std::vector<std::string> texts;
  if (!findings.contains(key) || !findings[key].is_array()) return texts;
  for (const auto& text : findings[key]) texts.push_back(text.is_string() ? text.get<std::string>() : "");
  return texts;
}

/// Columns that the group does not have yet, what they are called, and which way is better.
void add_columns(const json& findings, TrialGroup& group) {
  for (const auto& [name, way] : ways_of(findings)) group.ways.emplace(name, way);
  const auto columns = texts_in(findings, "columns"), titles = texts_in(findings, "titles");
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].empty() || std::find(group.columns.begin(), group.columns.end(), columns[i]) != group.columns.end())
      continue;
    group.columns.push_back(columns[i]);
    group.titles.push_back(i < titles.size() && !titles[i].empty() ? titles[i] : spaced(columns[i]));
  }
}

/// Settings that say who is tested: those of the supporter; where there is none, all but the plugins that take part.
bool names_subject(const json& settings, const std::string& key) {
  if (settings.contains("supporter")) return key.starts_with("supporter");
  return !(settings[key].is_object() && settings[key].contains("plugin")) && key != "plugin";
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

/// What must agree for two trials to measure the same thing: data, what became of it before, and the rest of the
/// settings.
json circumstances(const RunData& run, size_t number) {
  json others = run.stages[number].settings;
  for (const auto& [key, value] : run.stages[number].settings.items()) {
    if (key == "label" || names_subject(run.stages[number].settings, key)) others.erase(key);
  }
  json before = json::array();
  for (size_t i = 1; i < number; ++i) {
    if (!is_trial(run.stages[i])) before.push_back(run.stages[i].settings);
  }
  const size_t played = subject_stage(run, number);
  return {{"settings", others},
          {"played", played == number ? json() : circumstances(run, played)},
          {"stages", before},
          {"dataset", run.spec.value("dataset", json())},
          {"splits", run.spec.value("data", json::object()).value("splits", json())}};
}

/// "results/ur-1/checkpoints/last" -> the run that made it, by name if it is reported on; any other path as it is.
std::string source_of(const std::string& path, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto made_by = lineage.run_of(path);
  return made_by ? runs[*made_by].name : path;
}

/// Of several seeds what their names have in common.
std::string subject_of(const std::vector<RunData>& runs, const TrialKind& kind, const Lineage& lineage) {
  std::vector<std::vector<std::string>> sources;  // the first path's, the second's
  for (const auto& place : kind.trials) {
    const auto& run = runs[place.run];
    const auto paths = paths_of(run.stages[subject_stage(run, place.stage)].settings);
    sources.resize(std::max(sources.size(), paths.size()));
    for (size_t i = 0; i < paths.size(); ++i) sources[i].push_back(source_of(paths[i], runs, lineage));
  }
  std::string text;
  for (const auto& names : sources) text += (text.empty() ? "" : " and ") + common_start(names);
  return text;
}

/// A model that a run taught looks like that run.
size_t style_of(const RunData& run, size_t number, const Lineage& lineage, size_t otherwise) {
  for (const auto& path : paths_of(run.stages[subject_stage(run, number)].settings)) {
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
      const auto group = stage.plugin + lineage.in_common(circumstances(runs[run], i));
      all.push_back(
          {{run, i},
           group,
           group + lineage.in_common({stage.settings, runs[run].stages[subject_stage(runs[run], i)].settings})});
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

/// Several judges tested in one run would all look like that run, and all runs of very many alike.
void tell_apart(TrialGroup& group) {
  std::set<size_t> styles;
  for (const auto& kind : group.kinds) styles.insert(kind.style);
  if (styles.size() == group.kinds.size() && *styles.rbegin() < styles_told_apart) return;
  for (size_t i = 0; i < group.kinds.size(); ++i) group.kinds[i].style = i;
}

}  // namespace

size_t subject_stage(const RunData& run, size_t number) {
  for (size_t i = number; i > 0; --i) {
    const bool plays = i == number || is_trial(run.stages[i]);
    if (plays && !paths_of(run.stages[i].settings).empty()) return i;
  }
  return number;
}

std::vector<TrialGroup> trial_groups(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<TrialGroup> groups;
  std::map<std::string, size_t> places;
  std::map<std::string, std::pair<size_t, size_t>> kinds;
  for (const auto& [place, group_key, kind_key] : find_trials(runs, lineage)) {
    const auto& run = runs[place.run];
    const auto& stage = run.stages[place.stage];
    const auto [found, is_new] = places.emplace(group_key, groups.size());
    if (is_new) groups.push_back({stage.plugin, stage.plugin, "", {}, {}, {}, {}});
    auto& group = groups[found->second];
    add_columns(stage.findings, group);
    const auto [kind, first] = kinds.emplace(kind_key, std::pair(found->second, group.kinds.size()));
    if (first) {
      const auto style = style_of(run, place.stage, lineage, lineage.style(place.run));
      group.kinds.push_back({"", "", "", style, {}});
    }
    group.kinds[kind->second.second].trials.push_back(place);
  }
  name_groups(runs, groups);
  for (auto& group : groups) {
    for (auto& kind : group.kinds) kind.subject = subject_of(runs, kind, lineage);
    name_kinds(runs, group);
    tell_apart(group);
  }
  return groups;
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

std::vector<Standing> standings(const std::vector<Estimate>& figures, Better better) {
  std::vector<Standing> all(figures.size());
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
