#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

struct TableColumn {
  std::string heading;
  std::string below = {};  ///< in small type below the heading, such as the plugin it comes from
  std::string hint = {};   ///< explanation, as a tooltip
  bool number = true;      ///< right-aligned, with digits of equal width
};

struct TableCell {
  std::string text;
  std::string below = {};             ///< in small type below the text, such as an interval
  bool best = false, second = false;  ///< bold; underlined
  double shade = missing;             ///< shade in a heat map: 0 (lowest) to 1 (highest); NaN: none
};

/// Returns a cell with a mean and, if there is one, its interval below: "0.520", "0.495 to 0.545".
TableCell interval_cell(const Interval& estimate, int decimals);

struct TableRow {
  std::string head, below = {};
  std::optional<size_t> style = {};  ///< colour and dash of the run's mark; empty: no mark
  std::vector<TableCell> cells = {};
};

struct TableGroup {
  std::string heading;  ///< may be empty
  std::vector<TableRow> rows = {};
};

/// A table with a caption, column headers, row headers and row groups. A table wider than the page scrolls sideways
/// within a frame and keeps its row headers visible.
struct PageTable {
  /// `corner` is the heading of the row headers.
  std::string caption, corner;
  std::vector<TableColumn> columns = {};
  std::vector<TableGroup> groups = {{""}};
};

void write(Markup& out, const PageTable& table);

/// Appends the cells of a heat map, [row][column], to the first group of rows: darker means higher; each cell also
/// shows the mean and half the width of its interval.
void add_heat(PageTable& table, const std::vector<std::vector<Interval>>& figures);

/// Writes the line sample of a run for legends and tables; nothing for styles that look alike.
void write_swatch(Markup& out, size_t style);

}  // namespace compeer::report
