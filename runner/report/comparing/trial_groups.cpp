#include "report/comparing/trial_groups.h"

#include <algorithm>
#include <set>

#include "report/comparing/tested.h"
#include "report/comparing/trial_names.h"
#include "report/drawing/svg.h"

namespace compeer::report {

namespace {

using nlohmann::json;

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

/// The figure that the findings call the headline, else the first of the table.
std::string headline_of(const json& findings, const TrialGroup& group) {
  const auto named = findings.find("headline");
  if (named != findings.end() && named->is_string()) return *named;
  return group.columns.empty() ? "" : group.columns.front();
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
    const auto paths = tested_paths(run.stages[subject_stage(run, place.stage)].settings);
    sources.resize(std::max(sources.size(), paths.size()));
    for (size_t i = 0; i < paths.size(); ++i) sources[i].push_back(source_of(paths[i], runs, lineage));
  }
  std::string text;
  for (const auto& names : sources) text += (text.empty() ? "" : " and ") + common_start(names);
  return text;
}

/// A model that a run taught looks like that run.
size_t style_of(const RunData& run, size_t number, const Lineage& lineage, size_t otherwise) {
  for (const auto& path : tested_paths(run.stages[subject_stage(run, number)].settings)) {
    if (const auto made_by = lineage.run_of(path)) return lineage.style(*made_by);
  }
  return otherwise;
}

struct Found {
  TrialKind::Place place;
  std::string group, kind;
};

/// What was done twice, under two names, with the same outcome, is no second sample: the first counts.
std::vector<Found> find_trials(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<Found> all;
  std::set<json> seen;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 1; i < runs[run].stages.size(); ++i) {
      const auto& stage = runs[run].stages[i];
      if (!is_trial(stage)) continue;
      const auto met = circumstances(runs[run], i);
      const json test = json::array({runs[run].spec.value("seed", json()), met});
      const json who = json::array({stage.settings, runs[run].stages[subject_stage(runs[run], i)].settings});
      if (!seen.insert(json::array({test, who, stage.findings})).second) continue;
      const auto group = stage.plugin + lineage.in_common(met);
      all.push_back({{run, i, test}, group, group + lineage.in_common(who)});
    }
  }
  return all;
}

/// Several judges tested in one run would all look like that run, and all runs of very many alike.
void tell_apart(TrialGroup& group) {
  std::set<size_t> styles;
  for (const auto& kind : group.kinds) styles.insert(kind.style);
  if (styles.size() == group.kinds.size() && *styles.rbegin() < styles_told_apart) return;
  for (size_t i = 0; i < group.kinds.size(); ++i) group.kinds[i].style = i;
}

}  // namespace

std::vector<TrialGroup> trial_groups(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<TrialGroup> groups;
  std::map<std::string, size_t> places;
  std::map<std::string, std::pair<size_t, size_t>> kinds;
  for (const auto& [place, group_key, kind_key] : find_trials(runs, lineage)) {
    const auto& run = runs[place.run];
    const auto& stage = run.stages[place.stage];
    const auto [found, is_new] = places.emplace(group_key, groups.size());
    if (is_new) groups.push_back({stage.plugin, stage.plugin, "", {}, {}, "", {}, {}});
    auto& group = groups[found->second];
    add_columns(stage.findings, group);
    if (group.headline.empty()) group.headline = headline_of(stage.findings, group);
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

std::string TrialGroup::title(const std::string& column) const {
  const auto place = std::find(columns.begin(), columns.end(), column) - columns.begin();
  return static_cast<size_t>(place) < titles.size() ? titles[place] : spaced(column);
}

}  // namespace compeer::report
