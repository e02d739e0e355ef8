#include <algorithm>
#include <optional>
#include <set>

#include "report/comparing/evaluations.h"
#include "report/comparing/subject.h"
#include "report/drawing/svg.h"

// Both kinds of evaluation are found, gathered into groups and candidates by keys, and named; only their keys differ.

namespace compeer::report {

namespace {

using nlohmann::json;

struct FoundEvaluation {
  Evaluation evaluation;
  std::string group, candidate;
  std::string looks;  ///< who is evaluated, over all seeds: what is to be told apart
};

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::vector<FoundEvaluation> find_in_runs(const std::vector<RunData>& runs, const Lineage& lineage, Seeds seeds) {
  std::vector<FoundEvaluation> all;
  for (size_t run = 0; run < runs.size(); ++run) {
    if (runs[run].task != "evaluate" || runs[run].summary.empty()) continue;
    auto test = circumstances(runs[run], 0);
    const auto group = seeds == Seeds::apart ? text_of(test) : lineage.in_common(test);
    const auto candidate = seeds == Seeds::apart ? std::to_string(run) : lineage.key(run);
    if (seeds == Seeds::together) test = json::array({runs[run].spec.value("seed", json()), test});
    all.push_back({Evaluation{run, 0, test}, group, candidate, ""});
  }
  return all;
}

std::vector<FoundEvaluation> find_in_stages(const std::vector<RunData>& runs, const Lineage& lineage, Seeds seeds) {
  std::vector<FoundEvaluation> all;
  std::set<json> seen;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 1; i < runs[run].stages.size(); ++i) {
      const auto& stage = runs[run].stages[i];
      if (!measures(stage)) continue;
      const auto met = circumstances(runs[run], i);
      const json test = json::array({runs[run].spec.value("seed", json()), met});
      const json who = subject_settings(runs[run], i);
      if (!seen.insert(json::array({test, who, stage.findings})).second) continue;
      const auto group = stage.plugin + lineage.in_common(met), looks = group + lineage.in_common(who);
      const auto alone = looks + std::to_string(all.size());
      all.push_back({{run, i, test}, group, seeds == Seeds::apart ? alone : looks, looks});
    }
  }
  return all;
}

std::vector<std::string> texts_in(const json& findings, const char* key) {
  std::vector<std::string> texts;
  if (!findings.contains(key) || !findings[key].is_array()) return texts;
  for (const auto& text : findings[key]) texts.push_back(text.is_string() ? text.get<std::string>() : "");
  return texts;
}

/// Columns that the group does not have yet, what they are called, and which way is better; the figure that the
/// findings call the headline, else the first of the table.
void add_columns(const json& findings, EvaluationGroup& group) {
  for (const auto& [name, way] : ways_of(findings)) group.ways.emplace(name, way);
  const auto columns = texts_in(findings, "columns"), titles = texts_in(findings, "titles");
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto same = [&](const Metric& column) { return column.name == columns[i]; };
    if (columns[i].empty() || std::any_of(group.columns.begin(), group.columns.end(), same)) continue;
    group.columns.push_back(group.metric(columns[i]));
    if (i < titles.size() && !titles[i].empty()) group.columns.back().title = titles[i];
  }
  if (!group.headline.empty()) return;
  const auto named = findings.find("headline");
  if (named != findings.end() && named->is_string()) {
    group.headline.push_back(group.metric(*named));
  } else if (!group.columns.empty()) {
    group.headline.push_back(group.columns.front());
  }
}

/// A model that a run taught looks like that run.
size_t style_of(const RunData& run, size_t stage, const Lineage& lineage, size_t otherwise) {
  for (const auto& path : subject_paths(run, stage)) {
    if (const auto made_by = lineage.run_of(path); made_by && stage > 0) return lineage.style(*made_by);
  }
  return otherwise;
}

/// Several judges tested in one run would all look like that run, and all runs of very many alike. `looks`: of each
/// candidate of a group of stages.
void tell_apart(EvaluationGroup& group, const std::vector<std::string>& looks) {
  std::map<std::string, size_t> numbers;
  for (const auto& one : looks) numbers.emplace(one, numbers.size());
  std::set<size_t> styles;
  for (const auto& candidate : group.candidates) styles.insert(candidate.style);
  if (styles.size() == numbers.size() && *styles.rbegin() < styles_told_apart) return;
  for (size_t i = 0; i < looks.size(); ++i) group.candidates[i].style = numbers[looks[i]];
}

std::vector<EvaluationGroup> gathered(const std::vector<RunData>& runs, const Lineage& lineage,
                                      const std::vector<FoundEvaluation>& found) {
  std::vector<EvaluationGroup> groups;
  std::vector<std::vector<std::string>> looks;
  std::map<std::string, size_t> group_places;
  std::map<std::pair<std::string, std::string>, size_t> candidate_places;
  for (const auto& one : found) {
    const auto& [run, stage, test] = one.evaluation;
    const auto [place, is_new] = group_places.emplace(one.group, groups.size());
    if (is_new) groups.push_back({stage > 0 ? runs[run].stages[stage].plugin : "", ""}), looks.emplace_back();
    auto& group = groups[place->second];
    const auto [candidate, first] =
        candidate_places.emplace(std::pair(one.group, one.candidate), group.candidates.size());
    if (first) {
      group.candidates.push_back({"", "", "", style_of(runs[run], stage, lineage, lineage.style(run)), {}});
      looks[place->second].push_back(one.looks);
    }
    group.candidates[candidate->second].evaluations.push_back(one.evaluation);
    if (stage > 0) add_columns(runs[run].stages[stage].findings, group);
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].plugin.empty()) tell_apart(groups[i], looks[i]);
  }
  return groups;
}

size_t first_run(const Candidate& candidate) { return candidate.evaluations.front().run; }

/// The candidate of the model that this one's training started from.
std::optional<size_t> before(const std::vector<RunData>& runs, const Lineage& lineage, const EvaluationGroup& group,
                             size_t candidate) {
  const auto trained = lineage.parent(first_run(group.candidates[candidate]));
  if (!trained || runs[*trained].task == "evaluate") return {};
  for (size_t i = 0; i < group.candidates.size(); ++i) {
    const size_t other = first_run(group.candidates[i]);
    if (i == candidate) continue;
    const bool same_run = lineage.parent(*trained) && lineage.parent(other) == lineage.parent(*trained);
    const bool same_path =
        !runs[*trained].start_model().empty() && runs[other].start_model() == runs[*trained].start_model();
    if (same_run || same_path) return i;
  }
  return {};
}

void put_baselines_first(const std::vector<RunData>& runs, const Lineage& lineage, EvaluationGroup& group) {
  std::set<size_t> baselines;
  for (size_t i = 0; i < group.candidates.size(); ++i) {
    const auto base = before(runs, lineage, group, i);
    if (base && !before(runs, lineage, group, *base)) baselines.insert(first_run(group.candidates[*base]));
  }
  std::stable_partition(group.candidates.begin(), group.candidates.end(),
                        [&](const Candidate& candidate) { return baselines.contains(first_run(candidate)); });
}

}  // namespace

std::vector<EvaluationGroup> run_evaluations(const std::vector<RunData>& runs, const Lineage& lineage, Seeds seeds) {
  auto groups = gathered(runs, lineage, find_in_runs(runs, lineage, seeds));
  for (auto& group : groups) {
    std::vector<const RunData*> members;
    for (const auto& candidate : group.candidates) {
      for (const auto& one : candidate.evaluations) members.push_back(&runs[one.run]);
    }
    group.headline = headline(members);
    put_baselines_first(runs, lineage, group);
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return runs[first_run(a.candidates.front())].greedy() < runs[first_run(b.candidates.front())].greedy();
  });
  name_groups(runs, groups);
  for (auto& group : groups) name_candidates(runs, lineage, group);
  return groups;
}

std::vector<EvaluationGroup> stage_evaluations(const std::vector<RunData>& runs, const Lineage& lineage, Seeds seeds) {
  auto groups = gathered(runs, lineage, find_in_stages(runs, lineage, seeds));
  name_groups(runs, groups);
  for (auto& group : groups) name_candidates(runs, lineage, group);
  return groups;
}

Metric EvaluationGroup::metric(const std::string& path) const {
  const auto known = std::find_if(columns.begin(), columns.end(), [&](const Metric& m) { return m.name == path; });
  if (known != columns.end()) return *known;
  if (plugin.empty()) return describe(path);
  const auto title = spaced(path.substr(path.rfind('/') + 1));
  return {.name = path, .title = title, .from = "", .note = path, .better = better_of(ways, path)};
}

std::vector<BeforeAfter> comparisons(const std::vector<RunData>& runs, const Lineage& lineage,
                                     const EvaluationGroup& group) {
  std::vector<BeforeAfter> known, with_first;
  for (size_t i = 0; i < group.candidates.size(); ++i) {
    if (i > 0) with_first.push_back({0, i});
    if (const auto base = before(runs, lineage, group, i)) known.push_back({*base, i});
  }
  return known.empty() ? with_first : known;
}

}  // namespace compeer::report
