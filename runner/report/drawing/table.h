#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

struct TableColumn {
  std::string heading;
  std::string below = {};  ///< small, under the heading, such as the plugin it comes from
  std::string hint = {};   ///< what it means, as a title
  bool number = true;      ///< right-aligned in figures of equal width
};

struct TableCell {
  std::string text;
  std::string below = {};             ///< small, under the text, such as an interval
  bool best = false, second = false;  ///< bold, underlined
  double shade = missing;             ///< of a heat map: 0 (lowest) to 1 (highest)
};

/// A mean, and its interval below it if there is one: "0.520", "0.495 to 0.545".
TableCell interval_cell(const Interval& estimate, int decimals);

struct TableRow {
  std::string head, below = {};
  std::optional<size_t> style = {};  ///< the colour mark of a run
  std::vector<TableCell> cells = {};
};

struct TableGroup {
  std::string heading;  ///< may be empty
  std::vector<TableRow> rows = {};
};

/// A table with a caption, column headers, row headers, and row groups if there is more than one. Scrolls sideways
/// in its own frame when it is wider than the page, with the row headers kept in sight.
struct PageTable {
  std::string caption, corner;
  std::vector<TableColumn> columns = {};
  std::vector<TableGroup> groups = {{""}};
};

void write(Markup& out, const PageTable& table);

/// Adds the cells of a heat map, [row][column]: shaded, darker the higher, with the mean and half of its interval, so
/// that nothing is told by colour alone.
void add_heat(PageTable& table, const std::vector<std::vector<Interval>>& figures);

/// The small piece of line that stands for a run in legends and tables; nothing for runs that look like others.
void write_swatch(Markup& out, size_t style);

}  // namespace compeer::report
