#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "report/comparing/settings.h"
#include "report/runs/metrics.h"
#include "report/sections/sweep.h"

namespace compeer::report {

namespace {

constexpr size_t most_settings = 2;

using Flat = std::map<std::string, std::string>;

bool is_seed(const std::string& path) { return path == "seed" || path.ends_with(".seed"); }

/// "reweighting.alpha" where `reweighting.plugin` differs and not all have an alpha.
bool belongs_to_plugin(const std::string& path, const std::set<std::string>& paths, const std::vector<Flat>& specs) {
  const auto has = [&](const Flat& spec) { return spec.contains(path); };
  if (std::all_of(specs.begin(), specs.end(), has)) return false;
  for (size_t dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const auto plugin = path.substr(0, dot) + ".plugin";
    if (plugin != path && paths.contains(plugin)) return true;
  }
  return false;
}

/// Settings in which runs of the same seed differ.
std::vector<std::string> settings_of(const std::vector<const RunData*>& runs, const std::vector<Flat>& specs) {
  std::map<std::string, std::vector<const RunData*>> by_seed;
  for (size_t i = 0; i < runs.size(); ++i)
    by_seed[specs[i].contains("seed") ? specs[i].at("seed") : ""].push_back(runs[i]);
  std::set<std::string> paths;
  for (const auto& [seed, members] : by_seed) {
    for (const auto& path : changed(members)) {
      if (!is_seed(path) && !path.starts_with("inputs.")) paths.insert(path);
    }
  }
  std::vector<std::string> settings;
  for (const auto& path : paths) {
    if (!belongs_to_plugin(path, paths, specs)) settings.push_back(path);
  }
  return settings;
}

Sweep::Value value_of(const Flat& spec, const std::string& path) {
  const auto found = spec.find(path);
  if (found == spec.end()) return {"–", missing};
  const auto text = unquoted(found->second);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return {text, text == found->second && end == text.c_str() + text.size() ? number : missing};
}

/// Evaluations of several models, or on several files, are told apart by these files: no setting was swept.
bool reads_other_files(const std::vector<RunData>& runs, const std::vector<std::string>& settings) {
  return runs.front().task == "evaluate" && std::any_of(settings.begin(), settings.end(), [&](const auto& path) {
           const auto inputs = runs.front().spec.find("inputs");
           return path == "model.path" || (inputs != runs.front().spec.end() && inputs->contains(path));
         });
}

struct Kind {
  std::vector<Sweep::Value> settings;
  std::vector<const RunData*> runs;
};

std::vector<Kind> kinds_of(const std::vector<const RunData*>& runs, const std::vector<Flat>& specs,
                           const std::vector<std::string>& settings) {
  std::vector<Kind> kinds;
  for (size_t i = 0; i < runs.size(); ++i) {
    std::vector<Sweep::Value> values;
    for (const auto& path : settings) values.push_back(value_of(specs[i], path));
    const auto same = [&](const Kind& kind) {
      return std::equal(values.begin(), values.end(), kind.settings.begin(),
                        [](const auto& a, const auto& b) { return a.text == b.text; });
    };
    auto kind = std::find_if(kinds.begin(), kinds.end(), same);
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), Kind{values, {}});
    kind->runs.push_back(runs[i]);
  }
  return kinds;
}

std::vector<std::string> metrics_to_show(const std::vector<const RunData*>& runs) {
  std::vector<std::string> names;
  for (const auto& metric : headline(runs)) names.push_back(metric.name);
  const auto has = [&](const char* name) {
    return std::any_of(runs.begin(), runs.end(), [&](const RunData* run) { return run->estimate(name).known(); });
  };
  const char* whole = has("reward") ? "reward" : "loss";
  if (has(whole) && std::find(names.begin(), names.end(), whole) == names.end()) names.insert(names.begin(), whole);
  return names;
}

Interval over(const Kind& kind, const std::string& metric, bool single) {
  std::vector<double> means;
  for (const auto* run : kind.runs) {
    if (!run->finished()) continue;
    if (single) return run->estimate(metric);
    means.push_back(run->estimate(metric).mean);
  }
  return statistics::mean_interval(means);
}

/// The setting with most numbers is the one to draw lines over.
void order(std::vector<std::string>& settings, const std::vector<Flat>& specs) {
  const auto numbers = [&](const std::string& path) {
    std::set<double> all;
    for (const auto& spec : specs) {
      if (const double number = value_of(spec, path).number; std::isfinite(number)) all.insert(number);
    }
    return all.size();
  };
  std::stable_sort(settings.begin(), settings.end(),
                   [&](const auto& a, const auto& b) { return numbers(a) > numbers(b); });
}

}  // namespace

std::optional<Sweep> swept(const std::vector<RunData>& runs) {
  std::vector<const RunData*> all;
  std::vector<Flat> specs;
  for (const auto& run : runs) {
    if (run.task.empty() || run.task == "data" || run.task != runs.front().task) return {};
    all.push_back(&run);
    specs.push_back(flattened(run.spec));
  }
  if (all.size() < 2) return {};
  auto settings = settings_of(all, specs);
  if (settings.empty() || settings.size() > most_settings || reads_other_files(runs, settings)) return {};
  order(settings, specs);
  const auto kinds = kinds_of(all, specs, settings);
  Sweep sweep;
  sweep.metrics = metrics_to_show(all);
  sweep.means.settings = settings;
  if (kinds.size() < 2 || sweep.metrics.empty()) return {};
  const bool single = std::all_of(kinds.begin(), kinds.end(), [](const Kind& kind) { return kind.runs.size() == 1; });
  for (const auto& kind : kinds) {
    Sweep::Row row{kind.settings, {}, 0, 0};
    for (const auto* run : kind.runs) ++(run->finished() ? row.finished : row.failed);
    for (const auto& metric : sweep.metrics) row.metrics.push_back(over(kind, metric, single));
    sweep.means.rows.push_back(std::move(row));
  }
  return sweep;
}

}  // namespace compeer::report
