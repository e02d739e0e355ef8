#include "report/sections/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/drawing/numbers.h"
#include "report/drawing/plots.h"
#include "report/drawing/table.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

constexpr size_t fewest_for_line = 3;

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

std::string read_out(const Sweep::Part& part, size_t metric) {
  std::string text;
  const int decimals = column_decimals(column(part, metric));
  for (const auto& row : part.rows)
    text += fmt::format("{}: {}; ", label(row.settings), with_interval(row.metrics[metric], decimals));
  return text;
}

// The values of a setting: numbers by size, names as they come.
std::vector<Sweep::Value> values_of(const Sweep::Part& part, size_t setting) {
  std::vector<Sweep::Value> values;
  for (const auto& row : part.rows) {
    const auto same = [&](const Sweep::Value& value) { return value.text == row.settings[setting].text; };
    if (std::none_of(values.begin(), values.end(), same)) values.push_back(row.settings[setting]);
  }
  const auto number = [](const Sweep::Value& value) { return std::isfinite(value.number); };
  if (std::all_of(values.begin(), values.end(), number))
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return values;
}

bool on_a_map(const Sweep::Part& part) {
  return part.settings.size() == 2 && values_of(part, 0).size() > 1 && values_of(part, 1).size() > 1;
}

void draw_map(Markup& out, const Sweep::Part& part, size_t metric, const std::string& id, const std::string& title) {
  HeatMap map{id, title, read_out(part, metric), part.settings[0], part.settings[1], {}, {}, {}};
  const auto across = values_of(part, 0), down = values_of(part, 1);
  for (const auto& value : across) map.columns.push_back(value.text);
  for (const auto& value : down) map.rows.push_back(value.text);
  map.cells.assign(down.size(), std::vector<Interval>(across.size()));
  for (size_t i = 0; i < down.size(); ++i) {
    for (size_t k = 0; k < across.size(); ++k) {
      const auto here = [&](const Sweep::Row& row) {
        return row.settings[0].text == across[k].text && row.settings[1].text == down[i].text;
      };
      const auto found = std::find_if(part.rows.begin(), part.rows.end(), here);
      if (found != part.rows.end()) map.cells[i][k] = found->metrics[metric];
    }
  }
  draw(out, map);
}

bool on_a_line(const Sweep::Part& part) {
  std::set<double> places;
  for (const auto& row : part.rows) {
    if (!std::isfinite(row.settings[0].number)) return false;
    places.insert(row.settings[0].number);
  }
  return places.size() >= fewest_for_line;
}

// Rows that agree in all but the first setting, in the order of the first.
std::vector<std::vector<const Sweep::Row*>> series(const Sweep::Part& part) {
  std::vector<std::vector<const Sweep::Row*>> all;
  for (const auto& row : part.rows) {
    const auto same = [&](const auto& rows) { return label(rows[0]->settings, 1) == label(row.settings, 1); };
    auto place = std::find_if(all.begin(), all.end(), same);
    if (place == all.end()) place = all.insert(all.end(), std::vector<const Sweep::Row*>());
    place->push_back(&row);
  }
  for (auto& rows : all) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](auto* a, auto* b) { return a->settings[0].number < b->settings[0].number; });
  }
  return all;
}

PlotLine line_of(const std::vector<const Sweep::Row*>& rows, size_t metric, size_t style) {
  const std::string name = label(rows[0]->settings, 1);
  PlotLine line{name, name, style, {}, {}, {}};
  for (const auto* row : rows) add_point(line, row->settings[0].number, row->metrics[metric]);
  return line;
}

void draw_lines(Markup& out, const Sweep::Part& part, size_t metric, const std::string& id, const std::string& title) {
  LinePlot plot{id, title, read_out(part, metric), part.settings[0], {}};
  const auto all = series(part);
  for (size_t i = 0; i < all.size(); ++i) plot.lines.push_back(line_of(all[i], metric, i));
  std::erase_if(plot.lines, [](const PlotLine& line) { return line.heavy.y.empty(); });
  plot.labels = all.size() > 1;
  plot.whole_steps = false;
  draw(out, plot);
}

// With `base`, a first row at zero, from which the others are told apart.
void draw_dots(Markup& out, const Sweep::Part& part, size_t metric, const std::string& id, const std::string& title,
               const std::string& base = "") {
  DotPlot plot{id, title, read_out(part, metric), {}};
  const bool grouped = base.empty() && part.settings.size() > 1;
  size_t style = 0;
  if (!base.empty()) plot.groups.push_back({"", {{"base", base, style++, {0, missing, missing, 0}}}});
  for (const auto& rows : grouped ? series(part) : std::vector<std::vector<const Sweep::Row*>>{}) {
    DotGroup dots{label(rows[0]->settings, 1), {}};
    for (size_t i = 0; i < rows.size(); ++i)
      dots.rows.push_back({rows[i]->settings[0].text, label(rows[i]->settings), i, rows[i]->metrics[metric]});
    plot.groups.push_back(dots);
  }
  if (!grouped) {
    if (plot.groups.empty()) plot.groups.emplace_back();
    for (const auto& row : part.rows)
      plot.groups[0].rows.push_back({label(row.settings), label(row.settings), style++, row.metrics[metric]});
  }
  draw(out, plot);
}

void write_figure(Markup& out, const Sweep& sweep, const Sweep::Part& part, size_t metric, const std::string& base) {
  const auto about = describe(sweep.metrics[metric]);
  const bool differences = !base.empty();
  const auto known = column(part, metric);
  if (std::none_of(known.begin(), known.end(), [](const Interval& e) { return e.known(); })) return;
  const auto figure = out.open("figure", {{"class", "plot"}});
  {
    const auto caption = out.open("figcaption");
    out.element("strong", {}, differences ? about.title + ": difference" : about.title);
    if (!about.from.empty()) out.element("span", {{"class", "from"}}, about.from);
    out.element("span", {{"class", "note"}},
                differences ? "from " + base : "by " + fmt::format("{}", fmt::join(part.settings, ", ")));
  }
  const auto id = fmt::format("{}-{}", differences ? "sweep-differences" : "sweep", metric);
  const auto title = fmt::format("{} by {}", about.title, part.settings[0]);
  if (differences) {
    draw_dots(out, part, metric, id, title + ": difference from " + base, base);
  } else if (on_a_map(part)) {
    draw_map(out, part, metric, id, title + " and " + part.settings[1]);
  } else if (on_a_line(part)) {
    draw_lines(out, part, metric, id, title);
  } else {
    draw_dots(out, part, metric, id, title);
  }
}

TableCell cell(const Interval& e, int decimals, bool differences) {
  const auto text = [&](double value) { return differences ? fixed_signed(value, decimals) : fixed(value, decimals); };
  const bool clear = differences && e.has_interval() && (e.low > 0 || e.high < 0);
  return {text(e.mean), e.has_interval() ? fmt::format("{} to {}", text(e.low), text(e.high)) : "", clear};
}

void write_table(Markup& out, const Sweep& sweep, const Sweep::Part& part, bool differences) {
  PageTable table{differences
                      ? fmt::format("Differences from {}, of pairs with the same {}; bold: the interval leaves zero "
                                    "out",
                                    sweep.base, sweep.paired_by)
                      : "Means over the runs of a row",
                  fmt::format("{}", fmt::join(part.settings, ", ")),
                  {{differences ? "pairs" : "runs", "", ""}},
                  {{"", {}}}};
  for (const auto& row : part.rows) {
    const auto runs = row.failed > 0 ? fmt::format("{} of {}", row.finished, row.finished + row.failed)
                                     : std::to_string(row.finished);
    table.groups[0].rows.push_back({label(row.settings), "", {}, {{runs, ""}}});
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

std::string intervals_of(const Sweep::Part& part) {
  const auto several = [](const Sweep::Row& row) { return row.finished + row.failed > 1; };
  if (std::any_of(part.rows.begin(), part.rows.end(), several))
    return "Means over the runs of each setting, such as several seeds, with 95 % intervals over these runs (Student's "
           "t); "
           "a single run has none.";
  const auto bounded = [](const Sweep::Row& row) {
    return std::any_of(row.metrics.begin(), row.metrics.end(), [](const Interval& e) { return e.has_interval(); });
  };
  if (std::any_of(part.rows.begin(), part.rows.end(), bounded))
    return "One run for each setting, with 95 % intervals over its prompts; they say nothing about other seeds.";
  return "One run for each setting, so there are no intervals: differences may be luck.";
}

}  // namespace

void write_sweep(Markup& out, const Sweep& sweep) {
  out.element("p", {{"class", "how"}},
              intervals_of(sweep.means) + " Nothing is corrected for looking at several metrics.");
  write_part(out, sweep, sweep.means, "");
  write_part(out, sweep, sweep.differences, sweep.base);
  if (sweep.notes.empty()) return;
  out.element("p", {{"class", "how"}}, "Left out:");
  const auto list = out.open("ul");
  for (const auto& note : sweep.notes) out.element("li", {}, note);
}

}  // namespace compeer::report
