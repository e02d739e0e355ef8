// Writes tables and heat maps.
#include "report/drawing/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/drawing/numbers.h"
#include "report/drawing/plots.h"

namespace compeer::report {

namespace {

constexpr size_t longest_unbroken = 16;  // maximum length of a heading without line breaks, in bytes
constexpr size_t most_upright = 9;       // tables with more columns are printed in landscape

void write_below(Markup& out, const std::string& text) {
  if (text.empty()) return;
  out.text(" ");
  out.element("small", {}, text);
}

void write_head(Markup& out, const PageTable& table) {
  const auto thead = out.open("thead");
  const auto row = out.open("tr");
  out.element("th", {{"scope", "col"}}, table.corner);
  for (const auto& column : table.columns) {
    const bool is_long = column.heading.size() > longest_unbroken;
    const std::string kind = (column.number ? "number" : "words") + std::string(is_long ? " long" : "");
    const auto th = column.hint.empty() ? out.open("th", {{"scope", "col"}, {"class", kind}})
                                        : out.open("th", {{"scope", "col"}, {"class", kind}, {"title", column.hint}});
    out.text(column.heading);
    write_below(out, column.below);
  }
}

void write_row(Markup& out, const PageTable& table, const TableRow& row) {
  const auto tr = out.open("tr");
  {
    const auto th = out.open("th", {{"scope", "row"}});
    if (row.style) write_swatch(out, *row.style);
    out.text(row.head);
    write_below(out, row.below);
  }
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const auto& cell = row.cells[i];
    const char* kind = table.columns[i].number ? "number" : "words";
    const auto td = std::isfinite(cell.shade)
                        ? out.open("td", {{"class", "heat"}, {"style", fmt::format("--shade:{:.2f}", cell.shade)}})
                        : out.open("td", {{"class", kind}});
    if (cell.best) {
      out.element("strong", {}, cell.text);
    } else if (cell.second) {
      out.element("em", {}, cell.text);
    } else {
      out.text(cell.text);
    }
    write_below(out, cell.below);
  }
}

}  // namespace

TableCell interval_cell(const Interval& estimate, int decimals) {
  TableCell cell{fixed(estimate.mean, decimals), ""};
  if (estimate.has_interval())
    cell.below = fmt::format("{} to {}", fixed(estimate.low, decimals), fixed(estimate.high, decimals));
  return cell;
}

void write_swatch(Markup& out, size_t style) {
  if (style >= styles_told_apart) return;
  const auto svg = out.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                                    {"class", "swatch " + style_class(style)},
                                    {"viewBox", "0 0 28 10"},
                                    {"aria-hidden", "true"}});
  out.empty("path", {{"class", "line"}, {"d", "M1,5h26"}});
}

void write(Markup& out, const PageTable& table) {
  const char* kind = table.columns.size() > most_upright ? "scroll wide" : "scroll";
  const auto frame =
      out.open("div", {{"class", kind}, {"role", "group"}, {"tabindex", "0"}, {"aria-label", table.caption}});
  const auto whole = out.open("table");
  out.element("caption", {}, table.caption);
  write_head(out, table);
  for (const auto& group : table.groups) {
    const auto body = out.open("tbody");
    if (!group.heading.empty()) {
      const auto row = out.open("tr", {{"class", "group"}});
      out.element("th", {{"scope", "rowgroup"}, {"colspan", fmt::format("{}", table.columns.size() + 1)}},
                  group.heading);
    }
    for (const auto& row : group.rows) write_row(out, table, row);
  }
}

void add_heat(PageTable& table, const std::vector<std::vector<Interval>>& figures) {
  std::vector<Interval> known;
  for (const auto& row : figures)
    std::copy_if(row.begin(), row.end(), std::back_inserter(known), [](const Interval& e) { return e.known(); });
  if (known.empty()) return;
  const auto [low, high] =
      std::minmax_element(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.mean < b.mean; });
  const int decimals = column_decimals(known);
  for (size_t i = 0; i < figures.size(); ++i) {
    for (const Interval& e : figures[i]) {
      TableCell cell{fixed(e.mean, decimals)};
      if (e.has_interval()) cell.below = "±" + fixed((e.high - e.low) / 2, decimals);
      if (e.known()) cell.shade = high->mean > low->mean ? (e.mean - low->mean) / (high->mean - low->mean) : 0;
      table.groups[0].rows[i].cells.push_back(cell);
    }
  }
}

}  // namespace compeer::report
