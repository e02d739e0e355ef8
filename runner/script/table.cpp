#include "script/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "script/figures.h"
#include "script/lookup.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::script {

namespace {

using spec::json;

void add_paths(const json& value, const std::string& path, std::vector<std::string>& paths) {
  if (!value.is_structured()) return paths.push_back(path);
  size_t i = 0;
  for (const auto& [key, inner] : value.items()) {
    add_paths(inner, value.is_array() ? spec::join(path, i++) : spec::join(path, key), paths);
  }
}

[[noreturn]] void refuse_column(const std::vector<RunResult>& runs, const std::string& column) {
  std::vector<std::string> paths;
  std::set<std::string> metrics;
  for (const auto& run : runs) {
    if (paths.empty()) add_paths(run.spec, "", paths);
    for (const auto& [name, value] : run.metrics) metrics.insert(name);
    metrics.insert(run.promised.begin(), run.promised.end());
  }
  const std::vector<std::string> names(metrics.begin(), metrics.end());
  paths.insert(paths.end(), names.begin(), names.end());
  const auto near = nearest(column, paths);
  const auto help = near.empty() ? suggest_figure(column, names) : fmt::format("did you mean '{}'? ", near);
  throw Error("", fmt::format("the runs have no setting or metric '{}'", column),
              help.substr(0, help.rfind("known")) + fmt::format("metrics: {}", fmt::join(names, ", ")));
}

// A metric's name may be no path of a setting: "01-sage/success/value".
bool has_setting(const RunResult& run, const std::string& column) {
  try {
    return look(run.spec, column) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

bool is_setting(const std::vector<RunResult>& runs, const std::string& column) {
  const auto has = [&](const RunResult& run) { return has_setting(run, column); };
  const auto named = [&](const RunResult& run) { return run.metrics.contains(column); };
  const auto measured = [&](const RunResult& run) { return look_up(run, column) != nullptr; };
  if (std::any_of(runs.begin(), runs.end(), named)) return false;
  if (std::any_of(runs.begin(), runs.end(), has)) return true;
  if (std::any_of(runs.begin(), runs.end(), measured)) return false;
  const auto finished = [](const RunResult& run) { return run.state == RunResult::State::finished; };
  if (std::any_of(runs.begin(), runs.end(), finished)) refuse_column(runs, column);
  return false;
}

// The runs of a row.
struct RowRuns {
  std::vector<json> settings;
  std::vector<const RunResult*> runs;
};

RowRuns& group_of(std::vector<RowRuns>& groups, std::vector<json> settings) {
  for (auto& group : groups) {
    if (group.settings == settings) return group;
  }
  return groups.emplace_back(RowRuns{std::move(settings), {}});
}

std::vector<Estimate> measured(const RowRuns& group, const std::string& name) {
  std::vector<Estimate> values;
  for (const auto* run : group.runs) {
    const auto* found = look_up(*run, name);
    if (found && !std::isnan(found->mean)) values.push_back(*found);
  }
  return values;
}

std::string cell(const Estimate& estimate) {
  if (estimate.n == 0) return "-";
  if (!estimate.has_interval()) return fmt::format("{:.4g}", estimate.mean);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", estimate.mean, estimate.low, estimate.high);
}

size_t width(const std::string& text) {  // characters, not bytes
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::vector<std::string> failures(const std::vector<RunResult>& runs) {
  std::vector<std::string> lines;
  for (const auto& run : runs) {
    if (!run.error) continue;
    const auto& what = run.error->problem();
    lines.push_back(fmt::format("{} failed (exit {}): {}", run.name, static_cast<int>(run.error->exit()),
                                spec::printable(what.substr(0, what.find('\n')), 200)));
  }
  return lines;
}

std::string show(const json& value) {
  return value.is_string() ? spec::printable(value.get<std::string>()) : spec::show(value);
}

std::vector<json> settings_of(const RunResult& run, const std::vector<std::string>& paths) {
  std::vector<json> settings;
  for (const auto& path : paths) {
    const json* value = look(run.spec, path);
    settings.push_back(value ? *value : json());
  }
  return settings;
}

Columns sort_columns(const std::vector<RunResult>& runs, const std::vector<std::string>& columns) {
  Columns sorted;
  for (const auto& column : columns) (is_setting(runs, column) ? sorted.settings : sorted.metrics).push_back(column);
  return sorted;
}

void refuse_unpromised(const std::vector<RunResult>& runs, const std::vector<std::string>& columns) {
  for (const auto& column : columns) {
    const auto fits = [&](const RunResult& run) {
      if (run.state == RunResult::State::failed || has_setting(run, column)) return true;
      return run.state == RunResult::State::planned ? may_have(run, column) : look_up(run, column) != nullptr;
    };
    // Every run is looked at, for a name may be ambiguous in one of them alone.
    if (std::count_if(runs.begin(), runs.end(), fits) == 0) refuse_column(runs, column);
  }
}

Estimate over_runs(const std::vector<Estimate>& runs) {
  std::vector<double> means;
  for (const auto& run : runs) means.push_back(run.mean);
  return statistics::mean_interval(means);
}

ResultTable make_table(const std::vector<RunResult>& runs, const std::vector<std::string>& columns) {
  const auto sorted = sort_columns(runs, columns);
  ResultTable table{sorted.settings, sorted.metrics, {}, failures(runs), false};
  std::vector<RowRuns> groups;
  for (const auto& run : runs) group_of(groups, settings_of(run, table.settings)).runs.push_back(&run);
  table.over_runs =
      std::any_of(groups.begin(), groups.end(), [](const RowRuns& group) { return group.runs.size() > 1; });
  for (const auto& group : groups) {
    ResultTable::Row row{group.settings, {}, 0, 0};
    for (const auto* run : group.runs) ++(run->state == RunResult::State::finished ? row.finished : row.failed);
    for (const auto& name : table.metrics) {
      const auto values = measured(group, name);
      row.metrics.push_back(table.over_runs || values.empty() ? script::over_runs(values) : values[0]);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string ResultTable::text() const {
  std::vector<std::vector<std::string>> cells{settings};
  cells[0].push_back("runs");
  cells[0].insert(cells[0].end(), metrics.begin(), metrics.end());
  for (const auto& row : rows) {
    std::vector<std::string> line;
    for (const auto& value : row.settings) line.push_back(show(value));
    line.push_back(row.failed ? fmt::format("{} of {}", row.finished, row.finished + row.failed)
                              : std::to_string(row.finished));
    for (const auto& value : row.metrics) line.push_back(cell(value));
    cells.push_back(line);
  }
  auto notes = failed;
  if (const auto how = intervals(); !how.empty()) notes.insert(notes.begin(), how);
  return aligned(cells, notes);
}

std::string ResultTable::intervals() const {
  const auto bounded = [](const Row& row) {
    return std::any_of(row.metrics.begin(), row.metrics.end(), [](const Estimate& e) { return e.has_interval(); });
  };
  if (std::none_of(rows.begin(), rows.end(), bounded)) return "";
  return over_runs ? "[ ]: 95 % intervals over runs (Student's t); a single run has none"
                   : "[ ]: 95 % intervals over the prompts of each run";
}

std::string aligned(const std::vector<std::vector<std::string>>& cells, const std::vector<std::string>& notes) {
  std::vector<size_t> widths(cells[0].size());
  for (const auto& line : cells) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  std::string text;
  for (const auto& line : cells) {
    std::string padded;
    for (size_t i = 0; i < line.size(); ++i) padded += line[i] + std::string(widths[i] - width(line[i]) + 2, ' ');
    text += padded.substr(0, padded.find_last_not_of(' ') + 1) + '\n';
  }
  for (const auto& note : notes) text += note + '\n';
  text.pop_back();
  return text;
}

}  // namespace compeer::script
