#include "script/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "script/figures.h"
#include "script/lookup.h"

namespace compeer::script {

namespace {

using spec::json;
using Base = std::vector<std::pair<std::string, json>>;
using Key = std::vector<json>;

std::string with_values(const std::vector<std::string>& paths, const Key& values) {
  std::string text;
  for (size_t i = 0; i < paths.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", paths[i], show(values[i]));
  return text;
}

std::vector<std::string> paths_of(const Base& base) {
  std::vector<std::string> paths;
  for (const auto& [path, value] : base) paths.push_back(path);
  return paths;
}

bool finished(const RunResult& run) { return run.state == RunResult::State::finished; }

bool is_base(const RunResult& run, const Base& base) {
  return std::all_of(base.begin(), base.end(), [&](const auto& setting) {
    const json* value = look(run.spec, setting.first);
    return value && *value == setting.second;
  });
}

void check_settings(const std::vector<RunResult>& runs, const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    const auto has = [&](const RunResult& run) { return look(run.spec, path) != nullptr; };
    if (std::none_of(runs.begin(), runs.end(), has)) refuse_path("a run", runs.front().spec, path);
  }
}

class Comparer {
 public:
  Comparer(const std::vector<RunResult>& runs, const std::vector<std::string>& columns, const Base& base,
           const std::vector<std::string>& pair)
      : runs_(runs) {
    made_.base = base;
    made_.paired_by = pair;
    made_.settings = paths_of(base);
    check_comparison(runs, base, pair);
    const auto sorted = sort_columns(runs, columns);
    for (const auto& path : sorted.settings) {
      if (!in_base(path) && !contains(pair, path)) made_.settings.push_back(path), alike_.push_back(path);
    }
    alike_.insert(alike_.end(), pair.begin(), pair.end());
    made_.metrics = sorted.metrics;
    if (made_.metrics.empty()) throw Error("", "a comparison needs a metric", "compare { \"reward\", against = ... }");
    made_.left_out = failures(runs);
  }

  Comparison compare() {
    find_base();
    for (const auto& run : runs_) {
      if (finished(run) && !is_base(run, made_.base)) add(run);
    }
    for (const auto& [settings, differences] : rows_) {
      Comparison::Row row{settings, {}};
      for (const auto& values : differences) row.differences.push_back(statistics::mean_interval(values));
      made_.rows.push_back(std::move(row));
    }
    return std::move(made_);
  }

 private:
  static bool contains(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }
  bool in_base(const std::string& path) const { return contains(paths_of(made_.base), path); }

  void find_base() {
    for (const auto& run : runs_) {
      if (is_base(run, made_.base)) take_place(base_, run, alike_);
    }
  }

  // One run for each place, or it isn't clear which ones are a pair.
  static void take_place(std::map<Key, const RunResult*>& places, const RunResult& run,
                         const std::vector<std::string>& paths) {
    const auto key = settings_of(run, paths);
    const auto [place, is_new] = places.emplace(key, &run);
    if (is_new) return;
    throw Error("", fmt::format("'{}' and '{}' both have {}", place->second->name, run.name, with_values(paths, key)),
                "name the setting in which they differ as a column, or in 'pair'");
  }

  void add(const RunResult& run) {
    auto own_place = paths_of(made_.base);
    own_place.insert(own_place.end(), alike_.begin(), alike_.end());
    take_place(others_, run, own_place);
    const auto settings = settings_of(run, made_.settings), alike = settings_of(run, alike_);
    const auto partner = base_.find(alike);
    if (partner == base_.end() || !finished(*partner->second)) {
      made_.left_out.push_back(
          partner == base_.end()
              ? fmt::format("{} is left out: there is no base run with {}", run.name, with_values(alike_, alike))
              : fmt::format("{} is left out: its base run {} failed", run.name, partner->second->name));
      return;
    }
    auto& differences = row_of(settings);
    for (size_t i = 0; i < made_.metrics.size(); ++i) {
      const auto* own = look_up(run, made_.metrics[i]);
      const auto* other = look_up(*partner->second, made_.metrics[i]);
      if (!own || !other) continue;
      differences[i].push_back(own->mean - other->mean);
    }
  }

  std::vector<std::vector<double>>& row_of(const Key& settings) {
    for (auto& [known, differences] : rows_) {
      if (known == settings) return differences;
    }
    return rows_.emplace_back(settings, std::vector<std::vector<double>>(made_.metrics.size())).second;
  }

  const std::vector<RunResult>& runs_;
  Comparison made_;
  std::vector<std::string> alike_;  // settings in which the two of a pair agree
  std::map<Key, const RunResult*> base_, others_;
  std::vector<std::pair<Key, std::vector<std::vector<double>>>> rows_;
};

std::string show_difference(const Estimate& difference) {
  if (difference.n == 0) return "-";
  if (!difference.has_interval()) return fmt::format("{:+.4g}", difference.mean);
  return fmt::format("{:+.4g} [{:+.4g}, {:+.4g}]", difference.mean, difference.low, difference.high);
}

}  // namespace

void check_comparison(const std::vector<RunResult>& runs, const Base& base, const std::vector<std::string>& pair) {
  const auto paths = paths_of(base);
  check_settings(runs, paths);
  check_settings(runs, pair);
  if (std::any_of(runs.begin(), runs.end(), [&](const RunResult& run) { return is_base(run, base); })) return;
  std::set<std::string> values;
  for (const auto& run : runs) values.insert(with_values(paths, settings_of(run, paths)));
  std::vector<json> wanted;
  for (const auto& [path, value] : base) wanted.push_back(value);
  throw Error("", fmt::format("no run has {}", with_values(paths, wanted)),
              fmt::format("there are: {}", fmt::join(values, "; ")));
}

Comparison compare(const std::vector<RunResult>& runs, const std::vector<std::string>& columns, const Base& base,
                   const std::vector<std::string>& pair) {
  return Comparer(runs, columns, base, pair).compare();
}

std::string Comparison::base_text() const {
  Key values;
  for (const auto& [path, value] : base) values.push_back(value);
  return with_values(paths_of(base), values);
}

std::string Comparison::text() const {
  std::vector<std::vector<std::string>> cells{settings};
  cells[0].push_back("pairs");
  cells[0].insert(cells[0].end(), metrics.begin(), metrics.end());
  for (const auto& row : rows) {
    std::vector<std::string> line;
    for (const auto& value : row.settings) line.push_back(show(value));
    int64_t pairs = 0;
    for (const auto& difference : row.differences) pairs = std::max(pairs, difference.n);
    line.push_back(std::to_string(pairs));
    for (const auto& difference : row.differences) line.push_back(show_difference(difference));
    cells.push_back(line);
  }
  return fmt::format("differences from {}, paired by {}\n{}", base_text(), fmt::join(paired_by, ", "),
                     aligned(cells, left_out));
}

}  // namespace compeer::script
