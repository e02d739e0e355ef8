// The section of a sweep: plots and tables of metrics by settings; and recognition of sweeps among runs.
#include "report/sections/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "report/comparing/compare.h"
#include "report/drawing/plots.h"
#include "report/drawing/table.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

constexpr size_t fewest_for_line = 3, most_settings = 2;

std::string label(const std::vector<Sweep::Value>& settings, size_t first = 0) {
  std::string text;
  for (size_t i = first; i < settings.size(); ++i) text += (text.empty() ? "" : ", ") + settings[i].text;
  return text;
}

std::vector<Interval> column(const Sweep::Part& part, size_t metric) {
  std::vector<Interval> estimates;
  for (const auto& row : part.rows) estimates.push_back(row.metrics[metric]);
  return estimates;
}

bool numeric(const std::vector<Sweep::Value>& values) {
  return std::all_of(values.begin(), values.end(), [](const Sweep::Value& v) { return std::isfinite(v.number); });
}

/// Returns the values of a setting: numbers ascending, names in order of occurrence.
std::vector<Sweep::Value> values_of(const Sweep::Part& part, size_t setting) {
  std::vector<Sweep::Value> values;
  for (const auto& row : part.rows) {
    const auto same = [&](const Sweep::Value& value) { return value.text == row.settings[setting].text; };
    if (std::none_of(values.begin(), values.end(), same)) values.push_back(row.settings[setting]);
  }
  if (numeric(values))
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return values;
}

void write_map(Markup& out, const Sweep::Part& part, size_t metric, const std::string& title) {
  const auto across = values_of(part, 0), down = values_of(part, 1);
  PageTable map{title, part.settings[1] + " ↓ " + part.settings[0] + " →"};
  for (const auto& value : across) map.columns.push_back({value.text});
  for (const auto& value : down) map.groups[0].rows.push_back({value.text});
  std::vector<std::vector<Interval>> cells(down.size(), std::vector<Interval>(across.size()));
  const auto place = [](const std::vector<Sweep::Value>& all, const Sweep::Value& value) {
    return std::find_if(all.begin(), all.end(), [&](auto& one) { return one.text == value.text; }) - all.begin();
  };
  for (const auto& row : part.rows)
    cells[place(down, row.settings[1])][place(across, row.settings[0])] = row.metrics[metric];
  add_heat(map, cells);
  write(out, map);
}

/// Returns the rows by all settings but the first, ordered by the first.
std::vector<std::vector<Sweep::Row>> series(const Sweep::Part& part) {
  std::vector<std::vector<Sweep::Row>> all;
  for (const auto& row : part.rows) {
    const auto same = [&](const auto& rows) { return label(rows[0].settings, 1) == label(row.settings, 1); };
    const auto place = std::find_if(all.begin(), all.end(), same);
    place == all.end() ? all.push_back({row}) : place->push_back(row);
  }
  for (auto& rows : numeric(values_of(part, 0)) ? all : std::vector<std::vector<Sweep::Row>>())
    std::stable_sort(rows.begin(), rows.end(),
                     [](auto& a, auto& b) { return a.settings[0].number < b.settings[0].number; });
  return all;
}

LinePlot lines_of(const Sweep::Part& part, size_t metric) {
  LinePlot plot{"", "", part.settings[0], {}};
  for (const auto& rows : series(part)) {
    const auto name = label(rows[0].settings, 1);
    PlotLine line{name, name, plot.lines.size(), {}, {}, {}};
    for (const auto& row : rows) add_point(line, row.settings[0].number, row.metrics[metric]);
    if (!line.heavy.y.empty()) plot.lines.push_back(line);
  }
  plot.whole_steps = false;
  return plot;
}

/// With `base`, adds a first row at zero for comparison.
DotPlot dots_of(const Sweep::Part& part, size_t metric, const std::string& base) {
  DotPlot plot{"", "", {}};
  for (const auto& rows : series(part)) {
    DotGroup dots{label(rows[0].settings, 1), {}};
    if (!base.empty()) dots.rows.push_back({"base", base, 0, {0, missing, missing, 0}});
    for (const auto& row : rows)
      dots.rows.push_back({row.settings[0].text, label(row.settings), dots.rows.size(), row.metrics[metric]});
    plot.groups.push_back(dots);
  }
  return plot;
}

/// Draws a heat map over two settings, lines over numbers, otherwise dots; differences are dots.
void write_figure(Markup& out, const Sweep& sweep, const Sweep::Part& part, size_t metric, const std::string& base) {
  const auto about = describe(sweep.metrics[metric]);
  const auto known = column(part, metric);
  if (std::none_of(known.begin(), known.end(), [](const Interval& e) { return e.known(); })) return;
  const bool differences = !base.empty();
  const auto title = differences ? about.title + ": difference" : about.title;
  const auto by = differences ? "from " + base : fmt::format("by {}", fmt::join(part.settings, ", "));
  const auto write_plot = [&](auto plot) {
    plot.id = fmt::format("{}-{}", differences ? "sweep-differences" : "sweep", metric);
    plot.title = title + " " + by;
    draw(out, plot);
  };
  const auto first = values_of(part, 0);
  if (!differences && part.settings.size() == 2 && first.size() > 1 && values_of(part, 1).size() > 1)
    return write_map(out, part, metric, title + " " + by);
  const auto figure = open_plot(out, title, about.from, by);
  if (differences) return write_plot(dots_of(part, metric, base));
  if (first.size() >= fewest_for_line && numeric(first)) return write_plot(lines_of(part, metric));
  write_plot(dots_of(part, metric, ""));
}

TableCell cell(const Interval& e, int decimals, bool differences) {
  const auto text = [&](double value) { return differences ? fixed_signed(value, decimals) : fixed(value, decimals); };
  const bool clear = differences && e.excludes_zero();
  return {text(e.mean), e.has_interval() ? fmt::format("{} to {}", text(e.low), text(e.high)) : "", clear};
}

void write_table(Markup& out, const Sweep& sweep, const Sweep::Part& part, bool differences) {
  PageTable table{differences
                      ? fmt::format("Differences from {}, of pairs with the same {}", sweep.base, sweep.paired_by)
                      : "Means over the runs of a row",
                  fmt::format("{}", fmt::join(part.settings, ", ")),
                  {{differences ? "pairs" : "runs", "", ""}}};
  for (const auto& row : part.rows) {
    const auto runs = row.failed > 0 ? fmt::format("{} of {}", row.finished, row.finished + row.failed)
                                     : std::to_string(row.finished);
    table.groups[0].rows.push_back({label(row.settings), "", {}, {{runs}}});
  }
  for (size_t metric = 0; metric < sweep.metrics.size(); ++metric) {
    const auto about = describe(sweep.metrics[metric]);
    table.columns.push_back({about.title, about.from, about.note});
    const auto estimates = column(part, metric);
    const int decimals = column_decimals(estimates);
    for (size_t i = 0; i < estimates.size(); ++i)
      table.groups[0].rows[i].cells.push_back(cell(estimates[i], decimals, differences));
  }
  write(out, table);
}

void write_part(Markup& out, const Sweep& sweep, const Sweep::Part& part, const std::string& base) {
  if (part.rows.empty()) return;
  {
    const auto plots = out.open("div", {{"class", "grid"}});
    for (size_t metric = 0; metric < sweep.metrics.size(); ++metric) write_figure(out, sweep, part, metric, base);
  }
  write_table(out, sweep, part, !base.empty());
}

// Recognition of sweeps: the settings in which runs differ, and means over seeds.

using Flat = std::map<std::string, std::string>;

/// True for "reweighting.alpha" if `reweighting.plugin` differs and not all specs have an alpha.
bool belongs_to_plugin(const std::string& path, const std::set<std::string>& paths, const std::vector<Flat>& specs) {
  if (std::all_of(specs.begin(), specs.end(), [&](const Flat& spec) { return spec.contains(path); })) return false;
  for (size_t dot = path.rfind('.'); dot != std::string::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const auto plugin = path.substr(0, dot) + ".plugin";
    if (plugin != path && paths.contains(plugin)) return true;
  }
  return false;
}

/// Returns the settings in which runs of the same seed differ.
std::vector<std::string> settings_of(const std::vector<const RunData*>& runs, const std::vector<Flat>& specs) {
  std::map<std::string, std::vector<const RunData*>> by_seed;
  for (size_t i = 0; i < runs.size(); ++i)
    by_seed[specs[i].contains("seed") ? specs[i].at("seed") : ""].push_back(runs[i]);
  std::set<std::string> paths;
  for (const auto& [seed, members] : by_seed) {
    for (const auto& path : changed(members)) {
      const bool is_seed = path == "seed" || path.ends_with(".seed");
      if (!is_seed && !path.starts_with("inputs.")) paths.insert(path);
    }
  }
  std::vector<std::string> settings;
  for (const auto& path : paths) {
    if (!belongs_to_plugin(path, paths, specs)) settings.push_back(path);
  }
  return settings;
}

Sweep::Value setting_in(const Flat& spec, const std::string& path) {
  const auto found = spec.find(path);
  if (found == spec.end()) return {"–", missing};
  const auto text = unquoted(found->second);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return {text, text == found->second && end == text.c_str() + text.size() ? number : missing};
}

/// Evaluations of different models or files are distinguished by these files: no setting was swept.
bool reads_other_files(const RunData& run, const std::vector<std::string>& settings) {
  return run.task == "evaluate" && std::any_of(settings.begin(), settings.end(), [&](const auto& path) {
           const auto inputs = run.spec.find("inputs");
           return path == "model.path" || (inputs != run.spec.end() && inputs->contains(path));
         });
}

/// Puts the setting with the most numeric values first: lines are drawn over it.
void order(std::vector<std::string>& settings, const std::vector<Flat>& specs) {
  const auto numbers = [&](const std::string& path) {
    std::set<double> all;
    for (const auto& spec : specs) {
      if (const double number = setting_in(spec, path).number; std::isfinite(number)) all.insert(number);
    }
    return all.size();
  };
  std::stable_sort(settings.begin(), settings.end(),
                   [&](const auto& a, const auto& b) { return numbers(a) > numbers(b); });
}

}  // namespace

void write_sweep(Markup& out, const Sweep& sweep) {
  out.element(
      "p", {{"class", "how"}},
      "Intervals are 95 %: over the runs of a setting (Student's t); for a single run over its prompts, without the "
      "variation between seeds. A difference without an interval may be due to chance. Intervals are not "
      "corrected for multiple metrics.");
  write_part(out, sweep, sweep.means, "");
  write_part(out, sweep, sweep.differences, sweep.base);
  if (sweep.notes.empty()) return;
  out.element("p", {{"class", "how"}}, "Omitted:");
  const auto list = out.open("ul");
  for (const auto& note : sweep.notes) out.element("li", {}, note);
}

std::optional<Sweep> swept(const std::vector<RunData>& runs) {
  std::vector<const RunData*> all;
  std::vector<Flat> specs;
  for (const auto& run : runs) {
    if (run.task.empty() || run.task == "data" || run.task != runs.front().task) return {};
    all.push_back(&run);
    specs.push_back(flattened(run.spec));
  }
  auto settings = settings_of(all, specs);
  if (settings.empty() || settings.size() > most_settings || reads_other_files(runs[0], settings)) return {};
  order(settings, specs);
  // Keyed by the texts of the settings' values.
  std::map<std::vector<std::string>, std::vector<const RunData*>> members;
  std::vector<std::vector<Sweep::Value>> rows;
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<Sweep::Value> values;
    std::vector<std::string> texts;
    for (const auto& path : settings) values.push_back(setting_in(specs[i], path)), texts.push_back(values.back().text);
    if (members[texts].empty()) rows.push_back(values);
    members[texts].push_back(all[i]);
  }
  Sweep sweep;
  for (const auto& metric : headline(all)) sweep.metrics.push_back(metric.name);
  sweep.means.settings = settings;
  if (rows.size() < 2 || sweep.metrics.empty()) return {};
  for (const auto& values : rows) {
    std::vector<std::string> texts;
    for (const auto& value : values) texts.push_back(value.text);
    Sweep::Row row{values, {}, 0, 0};
    for (const auto* run : members[texts]) ++(run->finished() ? row.finished : row.failed);
    for (const auto& metric : sweep.metrics) {
      std::vector<Interval> figures;
      std::vector<double> means;
      for (const auto* run : members[texts]) {
        if (run->finished()) figures.push_back(run->estimate(metric)), means.push_back(figures.back().mean);
      }
      // If no row has several runs, use each run's own interval.
      const bool own = rows.size() == all.size() && !figures.empty();
      row.metrics.push_back(own ? figures[0] : statistics::mean_interval(means));
    }
    sweep.means.rows.push_back(std::move(row));
  }
  return sweep;
}

}  // namespace compeer::report
