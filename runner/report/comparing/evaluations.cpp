// Finds evaluations, groups them into candidates, names groups and candidates, and compares their figures.
#include "report/comparing/evaluations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "report/drawing/plots.h"
#include "report/runs/load.h"
#include "spec/dotted.h"

namespace compeer::report {

namespace {

using nlohmann::json;

constexpr size_t most_particulars = 4;
constexpr size_t few_models = 4;  ///< up to this number, all models are compared with each other

/// Collects evaluations in the order in which they are added.
class Gathering {
 public:
  Gathering(const std::vector<RunData>& runs, const Lineage& lineage) : runs_(runs), lineage_(lineage) {}

  void add(size_t run, size_t stage) {
    const auto& data = runs_[run];
    const auto met = circumstances(data, stage);
    const json test = json::array({data.spec.value("seed", json()), met});
    const auto group = (stage > 0 ? data.stages[stage].plugin : "") + lineage_.without_seeds(met);
    std::string candidate = lineage_.key(run);
    if (stage > 0) {
      const json who = subject_settings(data, stage);
      if (!seen_.insert(json::array({test, who, data.stages[stage].findings})).second) return;
      candidate = lineage_.without_seeds(who);
    }
    // Different checkpoints of one run with the same test differ in more than their seeds.
    json made_by = json::array({group, candidate, test});
    for (const auto& path : subject_paths(data, stage)) made_by.push_back(run_folder(path).string());
    if (const size_t copy = copies_[made_by]++; copy > 0) candidate += fmt::format(" {}", copy);
    place(group, candidate,
          {run, stage, &data, test, stage > 0 ? figures_of(data.stages[stage].findings) : data.summary});
  }

  std::vector<EvaluationGroup> groups;

 private:
  void place(const std::string& group_key, const std::string& candidate_key, const Evaluation& one) {
    const auto [group_place, new_group] = group_places_.emplace(group_key, groups.size());
    if (new_group) groups.push_back({one.stage > 0 ? one.stage_data().plugin : "", ""});
    auto& candidates = groups[group_place->second].candidates;
    const auto [place, is_new] = candidate_places_.emplace(std::pair(group_key, candidate_key), candidates.size());
    if (is_new) candidates.push_back({"", "", "", style_of(one), {}});
    candidates[place->second].evaluations.push_back(one);
  }

  /// A model that was trained by a run has that run's style.
  size_t style_of(const Evaluation& one) const {
    for (const auto& path : subject_paths(*one.data, one.stage)) {
      if (const auto made_by = lineage_.run_of(path); made_by && one.stage > 0) return lineage_.style(*made_by);
    }
    return lineage_.style(one.run);
  }

  const std::vector<RunData>& runs_;
  const Lineage& lineage_;
  std::set<json> seen_;
  std::map<json, size_t> copies_;
  std::map<std::string, size_t> group_places_;
  std::map<std::pair<std::string, std::string>, size_t> candidate_places_;
};

std::vector<std::string> texts_in(const json& findings, const char* key) {
  std::vector<std::string> texts;
  if (!findings.contains(key) || !findings[key].is_array()) return texts;
  for (const auto& text : findings[key]) texts.push_back(text.is_string() ? text.get<std::string>() : "");
  return texts;
}

/// Adds columns that the group does not have yet, their titles and better directions, and the headline: the one that
/// findings declare, otherwise the first column.
void add_metrics(const json& findings, EvaluationGroup& group) {
  for (const auto& [name, way] : directions_of(findings)) group.directions.emplace(name, way);
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

/// Gives candidates with the same style, such as several judges tested in one run, different styles.
void tell_apart(EvaluationGroup& group) {
  std::set<size_t> styles;
  for (const auto& candidate : group.candidates) styles.insert(candidate.style);
  if (styles.size() == group.candidates.size() && *styles.rbegin() < styles_told_apart) return;
  for (size_t i = 0; i < group.candidates.size(); ++i) group.candidates[i].style = i;
}

size_t first_run(const Candidate& candidate) { return candidate.evaluations.front().run; }

/// Returns the candidate of the model that this one's training started from.
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

/// Moves baselines to the front, then pairs candidates.
void choose_comparisons(const std::vector<RunData>& runs, const Lineage& lineage, EvaluationGroup& group) {
  std::set<size_t> baselines;
  for (size_t i = 0; i < group.candidates.size(); ++i) {
    const auto base = before(runs, lineage, group, i);
    if (base && !before(runs, lineage, group, *base)) baselines.insert(first_run(group.candidates[*base]));
  }
  std::stable_partition(group.candidates.begin(), group.candidates.end(),
                        [&](const Candidate& candidate) { return baselines.contains(first_run(candidate)); });
  auto& pairs = group.comparisons;
  for (size_t i = 0; i < group.candidates.size(); ++i) {
    if (const auto base = before(runs, lineage, group, i)) pairs.emplace_back(*base, i);
  }
  const bool unknown = pairs.empty();
  for (size_t i = 1; unknown && i < group.candidates.size(); ++i) pairs.emplace_back(0, i);
  const size_t models = pairs.size();
  for (size_t a = 0; models <= few_models && a < models; ++a) {
    for (size_t b = a + 1; b < models; ++b) pairs.emplace_back(pairs[a].second, pairs[b].second);
  }
}

/// Returns "rounds = 20, dataset.plugin = profiles": where the circumstances of a group differ from those of other
/// groups of its plugin.
std::string particulars(const std::vector<std::map<std::string, std::string>>& all, size_t which) {
  const auto paths = differing(all);
  std::vector<std::string> told;
  for (const auto& path : paths) {
    const bool of_another = !path.ends_with("plugin") && paths.contains(spec::join(spec::parent(path), "plugin"));
    // Omits the settings of an alternative plugin, and a table whose values are listed themselves.
    const auto inner = paths.lower_bound(path + ".");
    const bool table = inner != paths.end() && inner->starts_with(path + ".");
    if (path.ends_with("seed") || path == "decoding" || of_another || table) continue;
    const auto name = path.starts_with("settings.") ? path.substr(9) : path;
    const auto value = all[which].find(path);
    told.push_back(name + " = " + (value == all[which].end() ? "none" : shortened(unquoted(value->second), 30)));
  }
  if (told.size() > most_particulars) told.resize(most_particulars), told.emplace_back("…");
  return fmt::format("{}", fmt::join(told, ", "));
}

/// Names groups by their plugin or way of decoding, and by their differences from others of the same name.
void name_groups(std::vector<EvaluationGroup>& groups) {
  std::map<std::string, std::vector<EvaluationGroup*>> by_kind;
  std::map<std::string, std::vector<std::map<std::string, std::string>>> tests;
  for (auto& group : groups) {
    const auto& first = group.candidates.front().evaluations.front();
    group.heading = first.stage > 0 ? group.plugin : decoding_of(*first.data);
    by_kind[group.heading].push_back(&group);
    tests[group.heading].push_back(flattened(circumstances(*first.data, first.stage)));
  }
  for (const auto& [kind, same] : by_kind) {
    for (size_t i = 0; i < same.size(); ++i) {
      if (const auto how = particulars(tests[kind], i); !how.empty()) same[i]->heading += " (" + how + ")";
    }
  }
}

/// Returns the subject for display: for "results/ur-1/checkpoints/last" the name of the run, if it is in the report;
/// other paths unchanged; for several seeds the common part.
std::string subject_of(const std::vector<RunData>& runs, const Candidate& candidate, const Lineage& lineage) {
  std::vector<std::vector<std::string>> sources;  // by position of the path: the first paths, the second paths
  for (const auto& one : candidate.evaluations) {
    const auto paths = subject_paths(*one.data, one.stage);
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

/// Names candidates after their runs, with the stage's name if a run has several stages of the plugin, and with the
/// subject if names are still equal.
void name_candidates(const std::vector<RunData>& runs, const Lineage& lineage, EvaluationGroup& group) {
  std::map<std::string, size_t> alike;
  for (auto& candidate : group.candidates) {
    std::vector<std::string> of_runs;
    for (const auto& one : candidate.evaluations) of_runs.push_back(one.data->name);
    const auto& first = candidate.evaluations.front();
    const auto& stages = first.data->stages;
    candidate.name = common_start(of_runs);
    const auto same = [&](const StageData& other) { return other.plugin == group.plugin; };
    if (first.stage > 0 && std::count_if(stages.begin(), stages.end(), same) > 1)
      candidate.name += "-" + first.stage_data().name.substr(3);
    candidate.subject = subject_of(runs, candidate, lineage);
    ++alike[candidate.name];
  }
  std::vector<std::string> names;
  for (auto& candidate : group.candidates) {
    if (alike[candidate.name] > 1 && !candidate.subject.empty()) candidate.name += "-" + candidate.subject;
    names.push_back(candidate.name);
  }
  const auto labels = short_labels(names);
  for (size_t i = 0; i < labels.size(); ++i) group.candidates[i].label = labels[i];
}

Interval figure_at(const Evaluation& one, const std::string& path) {
  const auto found = one.figures.find(path);
  return found == one.figures.end() ? Interval{} : found->second;
}

/// Returns b - a for every test. Empty unless both went through the same tests, each once, and all means are known.
std::vector<double> differences(const Candidate& a, const Candidate& b, const std::string& path) {
  std::map<json, double> before, change;
  for (const auto& one : a.evaluations) before[one.test] = figure_at(one, path).mean;
  for (const auto& one : b.evaluations) {
    const auto other = before.find(one.test);
    if (other != before.end()) change[one.test] = figure_at(one, path).mean - other->second;
  }
  std::vector<double> all;
  for (const auto& [test, value] : change) {
    if (std::isfinite(value)) all.push_back(value);
  }
  const bool same = all.size() == a.evaluations.size() && all.size() == b.evaluations.size();
  return same ? all : std::vector<double>();
}

}  // namespace

std::vector<EvaluationGroup> evaluations(const std::vector<RunData>& runs, const Lineage& lineage) {
  Gathering found(runs, lineage);
  for (const bool greedy : {false, true}) {
    for (size_t run = 0; run < runs.size(); ++run) {
      if (runs[run].task == "evaluate" && !runs[run].summary.empty() && runs[run].greedy() == greedy) found.add(run, 0);
    }
  }
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 1; i < runs[run].stages.size(); ++i) {
      if (measures(runs[run].stages[i])) found.add(run, i);
    }
  }
  for (auto& group : found.groups) {
    std::vector<const RunData*> members;
    for (const auto& candidate : group.candidates) {
      for (const auto& one : candidate.evaluations) {
        members.push_back(one.data);
        if (one.stage > 0) add_metrics(one.stage_data().findings, group);
      }
    }
    if (group.plugin.empty()) {
      group.headline = headline(members);
      group.columns = metrics_of(members);
      std::erase_if(group.columns, [&](const Metric& m) {
        const auto lacks = [&](auto* run) { return !run->estimate(m.name).known(); };
        return m.topic == Topic::timing || m.topic == Topic::optimisation ||
               std::all_of(members.begin(), members.end(), lacks);
      });
    }
    tell_apart(group);
    choose_comparisons(runs, lineage, group);
    name_candidates(runs, lineage, group);
  }
  name_groups(found.groups);
  return std::move(found.groups);
}

EvaluationGroup each_run(const EvaluationGroup& group) {
  EvaluationGroup apart = group;
  apart.candidates.clear(), apart.comparisons.clear();
  for (const auto& candidate : group.candidates) {
    for (const auto& one : candidate.evaluations) {
      const auto& name = candidate.evaluations.size() == 1 ? candidate.name : one.data->name;
      apart.candidates.push_back({name, name, candidate.subject, candidate.style, {one}});
    }
  }
  return apart;
}

Metric EvaluationGroup::metric(const std::string& path) const {
  const auto known = std::find_if(columns.begin(), columns.end(), [&](const Metric& m) { return m.name == path; });
  if (known != columns.end()) return *known;
  if (plugin.empty()) return describe(path);
  const auto title = spaced(path.substr(path.rfind('/') + 1));
  return {.name = path, .title = title, .from = "", .note = path, .better = better_of(directions, path)};
}

Interval figure_of(const Candidate& candidate, const std::string& path) {
  if (candidate.evaluations.size() == 1) return figure_at(candidate.evaluations[0], path);
  std::vector<double> means;
  for (const auto& one : candidate.evaluations) means.push_back(figure_at(one, path).mean);
  return statistics::mean_interval(means);
}

std::vector<Interval> figures(const EvaluationGroup& group, const std::string& path) {
  std::vector<Interval> all;
  for (const auto& candidate : group.candidates) all.push_back(figure_of(candidate, path));
  return all;
}

std::vector<CellMarks> cell_marks(const EvaluationGroup& group, const std::string& path) {
  return cell_marks(figures(group, path), group.metric(path).better, [&](size_t i, size_t best) {
    return difference(group.candidates[i], group.candidates[best], path);
  });
}

MeanDifference difference(const Candidate& a, const Candidate& b, const std::string& path) {
  const auto &first = a.evaluations.front(), &second = b.evaluations.front();
  if (a.evaluations.size() == 1 && b.evaluations.size() == 1 && first.stage == 0 && second.stage == 0)
    return difference(*first.data, *second.data, path);
  const auto paired = differences(a, b, path);
  if (paired.size() < 2) return difference(figure_of(a, path), figure_of(b, path));
  const auto mean = statistics::mean_interval(paired);
  return {mean.mean, mean.low, mean.high, true};
}

}  // namespace compeer::report
