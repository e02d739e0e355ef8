#include "report/comparing/evaluation_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/comparing/compare.h"
#include "report/drawing/numbers.h"

namespace compeer::report {

namespace {

const nlohmann::json& section(const RunData& run, const char* name) {
  static const nlohmann::json empty = nlohmann::json::object();
  return run.spec.contains(name) && run.spec[name].is_structured() ? run.spec[name] : empty;
}

template <class T>
T setting(const RunData& run, const char* table, const char* key, T otherwise) {
  const auto& at = section(run, table);
  if (!at.is_object() || !at.contains(key)) return otherwise;
  try {
    return at[key].get<T>();
  } catch (const nlohmann::json::exception&) {
    return otherwise;
  }
}

std::string data(const RunData& run) {
  return setting<std::string>(run, "dataset", "plugin", "?") + ", " +
         setting<std::string>(run, "evaluate", "split", "?");
}

/// What must agree for two evaluations to measure the same thing.
std::string comparable(const RunData& run) {
  nlohmann::json key = {section(run, "dataset"), section(run, "rewards"),
                        setting<std::string>(run, "evaluate", "split", ""), decoding_of(run)};
  return key.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The evaluation, in the same group, of the model that this one's training started from.
std::optional<size_t> before(const std::vector<RunData>& runs, const Lineage& lineage, const EvaluationGroup& group,
                             size_t run) {
  const auto trained = lineage.parent(run);
  if (!trained || runs[*trained].task == "evaluate") return {};
  for (const size_t other : group.runs) {
    if (other == run) continue;
    const bool same_run = lineage.parent(*trained) && lineage.parent(other) == lineage.parent(*trained);
    const bool same_path =
        !runs[*trained].start_model().empty() && runs[other].start_model() == runs[*trained].start_model();
    if (same_run || same_path) return other;
  }
  return {};
}

void name_groups(const std::vector<RunData>& runs, std::vector<EvaluationGroup>& groups) {
  std::set<std::string> kinds;
  for (const auto& group : groups) kinds.insert(data(runs[group.runs.front()]));
  std::map<std::string, int> taken;
  for (auto& group : groups) {
    group.heading = decoding_of(runs[group.runs.front()]);
    if (kinds.size() > 1) group.heading += " (" + data(runs[group.runs.front()]) + ")";
    if (const int n = ++taken[group.heading]; n > 1) group.heading += fmt::format(" (other settings, {})", n);
    std::vector<std::string> names;
    for (const size_t run : group.runs) names.push_back(runs[run].name);
    group.labels = short_labels(names);
  }
}

}  // namespace

std::string decoding_of(const RunData& run) {
  if (run.greedy()) return "Greedy";
  return "Sampled, temperature " + compact(setting(run, "sampling", "temperature", 1.0));
}

std::vector<EvaluationGroup> evaluation_groups(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::vector<EvaluationGroup> groups;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].task != "evaluate" || runs[i].summary.empty()) continue;
    const auto [place, is_new] = places.emplace(comparable(runs[i]), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].runs.push_back(i);
  }
  for (auto& group : groups) {
    std::set<size_t> baselines;
    for (const size_t run : group.runs) {
      if (const auto base = before(runs, lineage, group, run); base && !before(runs, lineage, group, *base))
        baselines.insert(*base);
    }
    std::stable_partition(group.runs.begin(), group.runs.end(), [&](size_t run) { return baselines.contains(run); });
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return runs[a.runs.front()].greedy() < runs[b.runs.front()].greedy();
  });
  name_groups(runs, groups);
  return groups;
}

std::vector<Comparison> comparisons(const std::vector<RunData>& runs, const Lineage& lineage,
                                    const EvaluationGroup& group) {
  std::vector<Comparison> known, with_first;
  for (size_t i = 0; i < group.runs.size(); ++i) {
    if (i > 0) with_first.push_back({group.runs[0], group.runs[i], group.labels[0], group.labels[i]});
    const auto base = before(runs, lineage, group, group.runs[i]);
    if (!base) continue;
    const size_t place = std::find(group.runs.begin(), group.runs.end(), *base) - group.runs.begin();
    known.push_back({*base, group.runs[i], group.labels[place], group.labels[i]});
  }
  return known.empty() ? with_first : known;
}

std::vector<Metric> headline(const std::vector<const RunData*>& runs) {
  const auto all = metrics_of(runs);
  std::vector<Metric> chosen;
  const auto add = [&](auto fits) { std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), fits); };
  add([](const Metric& m) { return m.topic == Topic::reward && m.title == "quality"; });
  if (chosen.empty()) add([](const Metric& m) { return m.name == "reward"; });
  add([](const Metric& m) { return m.name.ends_with("/s_in") || m.name.ends_with("/s_hi") || m.name == "distinct_2"; });
  std::erase_if(chosen, [&](const Metric& metric) {
    const auto same = [&](const RunData* run) {
      const double mean = run->estimate(metric.name).mean;
      return !std::isfinite(mean) || mean == runs.front()->estimate(metric.name).mean;
    };
    return runs.size() > 1 && std::all_of(runs.begin(), runs.end(), same);
  });
  return chosen;
}

std::vector<bool> best(const std::vector<const RunData*>& runs, const Metric& metric) {
  std::vector<bool> marks(runs.size(), false);
  if (metric.better == Better::unknown) return marks;
  const RunData* top = nullptr;
  for (const auto* run : runs) {
    const double mean = run->estimate(metric.name).mean;
    if (!std::isfinite(mean)) continue;
    const double so_far = top ? top->estimate(metric.name).mean : 0;
    if (!top || (metric.better == Better::higher ? mean > so_far : mean < so_far)) top = run;
  }
  bool any_clear = false;
  for (size_t i = 0; top && i < runs.size(); ++i) {
    const auto d = difference(*runs[i], *top, metric.name);
    any_clear = any_clear || d.clear();
    marks[i] = runs[i] == top || (d.known() && !d.clear());
  }
  return any_clear ? marks : std::vector<bool>(runs.size(), false);
}

}  // namespace compeer::report
