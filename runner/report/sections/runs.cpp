// Tables about runs: their stages, time, settings and provenance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "report/comparing/compare.h"
#include "report/drawing/numbers.h"
#include "report/drawing/passages.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t open_runs = 4;     ///< more runs than this are folded
constexpr size_t most_reasons = 8;  ///< maximum per cell, the most frequent ones
constexpr size_t most_stages = 400;
constexpr size_t longest_value = 400, most_specs = 60, longest_source = 30'000, most_sources = 8;

/// Returns "no answer 12, too short 3; 4 more", largest first.
template <class Number>
std::string listed(const std::map<std::string, Number>& counts) {
  std::vector<std::pair<std::string, double>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), most_reasons); ++i)
    text += fmt::format(
        "{}{} {}", i == 0 ? "" : ", ", order[i].first,
        order[i].second == std::floor(order[i].second) ? fixed(order[i].second, 0) : compact(order[i].second));
  return order.size() > most_reasons ? text + fmt::format("; {} more", order.size() - most_reasons) : text;
}

TableGroup stages_of(const RunData& run) {
  TableGroup rows{run.name + (run.finished() ? "" : " (" + (run.state.empty() ? "state unknown" : run.state) + ")"),
                  {}};
  for (const auto& stage : run.stages)
    rows.rows.push_back({stage.name,
                         "",
                         {},
                         {{fixed(double(stage.in), 0)},
                          {fixed(double(stage.out), 0)},
                          {fixed(double(stage.left_out), 0)},
                          {listed(stage.dropped)},
                          {listed(stage.counts)}}});
  return rows;
}

const std::string prefix = "seconds/", whole_step = "seconds/step", validation = "seconds/validation";

double sum(const RunData& run, const std::string& column) {
  const auto* values = run.column(column);
  if (!values) return missing;
  double total = 0;
  for (const double value : *values) total += std::isfinite(value) ? value : 0;
  return total;
}

double known(double value) { return std::isfinite(value) ? value : 0; }

/// `whole`: seconds of all rows, including validation, which runs between steps.
TableRow times_of(const RunData& run, size_t style, double whole) {
  const bool short_of_plan = run.steps_planned > run.steps_done;
  const auto* speed = run.column("tokens_per_second");
  const double steps = whole - known(sum(run, validation));
  const double per_step = run.rows() > 0 ? steps / static_cast<double>(run.rows()) : missing;
  return {run.name,
          "",
          style,
          {{run.task.empty() ? "?" : run.task},
           {run.state.empty() ? "?" : run.state},
           {fmt::format("{}", run.steps_done), short_of_plan ? fmt::format("of {}", run.steps_planned) : ""},
           {duration(run.elapsed)},
           {per_step > 0 ? fixed(per_step, 3) : fixed(missing, 0)},
           {speed ? fixed(statistics::mean_interval(*speed).mean, 0) : fixed(missing, 0)}}};
}

void write_spec(Markup& out, const RunData& run) {
  const auto details = out.open("details", {{"class", "spec"}});
  out.element("summary", {}, run.name);
  PageTable table{"Spec of " + run.name + (run.sha256.empty() ? "" : ", SHA-256 " + run.sha256),
                  "setting",
                  {{"value", "", "", false}, {"from", "", "", false}}};
  const auto add = [&](const std::string& path, const std::string& value, const std::string& from) {
    table.groups[0].rows.push_back({path, "", {}, {{cut(value, longest_value)}, {from}}});
  };
  if (!run.started.empty()) add("started", run.started, "UTC");
  if (!run.software.empty()) add("program", run.software, "");
  if (!run.host.empty()) add("host", run.host, "");
  for (const auto& [path, value] : flattened(run.spec)) {
    const auto origin = run.origins.find(path);
    const std::string from = origin != run.origins.end() && origin->is_string() ? origin->get<std::string>() : "";
    add(path, value, from);
  }
  write(out, table);
}

/// Writes the scripts and files that specs were made from, each text once.
void write_sources(Markup& out, const std::vector<RunData>& runs) {
  std::set<std::pair<std::string, std::string>> written;
  for (const auto& run : runs) {
    for (const auto& source : run.sources) {
      if (written.size() == most_sources || !written.insert(source).second) continue;
      const auto details = out.open("details", {{"class", "spec"}});
      out.element("summary", {}, source.first);
      out.element("pre", {{"tabindex", "0"}}, cut(source.second, longest_source));
    }
  }
}

}  // namespace

void write_stages(Markup& out, const std::vector<RunData>& runs) {
  PageTable table{"Records in each stage",
                  "stage",
                  {{"in"}, {"out"}, {"dropped"}, {"why", "reason and number", "", false}, {"counted", "", "", false}},
                  {}};
  size_t stages = 0, left_out = 0;
  for (const auto& run : runs) {
    if (run.stages.empty()) continue;
    stages += run.stages.size();
    stages <= most_stages ? table.groups.push_back(stages_of(run)) : void(++left_out);
  }
  if (table.groups.empty()) return;
  std::optional<Markup::Scope> folded;
  if (table.groups.size() > open_runs) {
    folded.emplace(out.open("details", {{"class", "figures"}}));
    out.element("summary", {}, fmt::format("{} runs", table.groups.size()));
  }
  write(out, table);
  if (left_out > 0)
    out.element("p", {{"class", "how"}},
                fmt::format("{} more run{}: see summary.json there", left_out, left_out == 1 ? "" : "s"));
}

Phases phases_of(const std::vector<RunData>& runs) {
  std::map<std::string, double> totals;
  Phases phases;
  for (const auto& run : runs) {
    double parts = 0;
    for (const auto& [name, values] : run.columns) {
      if (!name.starts_with(prefix) || name == whole_step) continue;
      totals[name.substr(prefix.size())] += sum(run, name);
      if (name != validation) parts += sum(run, name);
    }
    phases.whole.push_back(std::max(parts, known(sum(run, whole_step))) + known(sum(run, validation)));
    phases.seconds.push_back({});
  }
  for (const auto& [name, seconds] : totals) {
    if (seconds > 0) phases.names.push_back(name);
  }
  std::stable_sort(phases.names.begin(), phases.names.end(),
                   [&](const auto& a, const auto& b) { return totals[a] > totals[b]; });
  double other = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    double left = phases.whole[i];
    for (const auto& name : phases.names) {
      phases.seconds[i].push_back(sum(runs[i], prefix + name));
      left -= known(phases.seconds[i].back());
    }
    phases.seconds[i].push_back(std::max(0.0, left));
    other += phases.seconds[i].back();
  }
  phases.names.push_back("other");
  if (other > 0.05) return phases;
  phases.names.pop_back();  // rounding errors only
  for (auto& seconds : phases.seconds) seconds.pop_back();
  return phases;
}

void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const Phases phases = phases_of(runs);
  PageTable table{"Runs and their time",
                  "run",
                  {{"task", "", "", false},
                   {"state", "", "", false},
                   {"steps"},
                   {"total", "", "running time, including resumed parts"},
                   {"step", "seconds", "mean over rows, without validation"},
                   {"tokens/s", "", "mean over rows"}}};
  for (const auto& name : phases.names)
    table.columns.push_back({name, "seconds", "sum over all rows, and share of the total"});
  for (size_t i = 0; i < runs.size(); ++i) {
    TableRow row = times_of(runs[i], lineage.style(i), phases.whole[i]);
    for (const double seconds : phases.seconds[i])
      row.cells.push_back(
          {fixed(seconds, 1), seconds > 0 ? fmt::format("{:.0f} %", 100 * seconds / phases.whole[i]) : ""});
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

void write_differences(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  std::set<std::string> tasks;
  for (const auto& run : runs) tasks.insert(run.task);
  for (const auto& task : tasks) {
    std::vector<const RunData*> of_task;
    for (const auto& run : runs) {
      if (run.task == task && !run.spec.empty()) of_task.push_back(&run);
    }
    const auto paths = changed(of_task);
    if (of_task.size() < 2 || paths.empty()) continue;
    PageTable table{fmt::format("Settings that differ between the {} runs", task), "run"};
    for (const auto& path : paths) table.columns.push_back({path, "", "", false});
    for (const auto* run : of_task) {
      const auto flat = flattened(run->spec);
      TableRow row{run->name, "", lineage.style(static_cast<size_t>(run - runs.data())), {}};
      for (const auto& path : paths)
        row.cells.push_back({flat.contains(path) ? cut(unquoted(flat.at(path)), longest_value) : "–"});
      table.groups[0].rows.push_back(row);
    }
    write(out, table);
  }
}

void write_specs(Markup& out, const std::vector<RunData>& runs) {
  size_t written = 0;
  for (const auto& run : runs) {
    if (!run.spec.empty() && written++ < most_specs) write_spec(out, run);
  }
  write_sources(out, runs);
  if (written > most_specs)
    out.element("p", {{"class", "how"}}, fmt::format("{} more: see the run folders", written - most_specs));
}

void write_plugins(Markup& out, const std::vector<RunData>& runs) {
  std::map<std::vector<std::string>, std::vector<std::string>> used;  // (kind, name, version, hash) -> runs
  for (const auto& run : runs) {
    for (const auto& plugin : run.plugins)
      used[{text_in(plugin, "kind"), text_in(plugin, "name"), text_in(plugin, "version"), text_in(plugin, "sha256")}]
          .push_back(run.name);
  }
  if (used.empty()) return;
  PageTable table{
      "Plugins", "plugin", {{"version", "", "", false}, {"SHA-256", "", "", false}, {"used by", "", "", false}}};
  for (const auto& [plugin, names] : used) {
    const std::string by = names.size() == runs.size() ? "all runs"
                           : names.size() > 6          ? fmt::format("{} runs", names.size())
                                                       : fmt::format("{}", fmt::join(names, ", "));
    table.groups[0].rows.push_back(
        {plugin[0] + "/" + plugin[1], "", {}, {{plugin[2]}, {plugin[3].substr(0, 16)}, {by}}});
  }
  write(out, table);
}

}  // namespace compeer::report
