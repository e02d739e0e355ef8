#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

/// Tables and heat maps of a report page. They are filled as plain data and then written as HTML.
namespace compeer::report {

/// Header of one column, without the column of row headers.
struct TableColumn {
  std::string heading;
  std::string below = {};  ///< text in small type below the heading, such as the plugin of a metric
  std::string hint = {};   ///< explanation, shown as a tooltip
  bool number = true;      ///< true: right-aligned, with digits of equal width; false: words
};

/// One cell.
struct TableCell {
  std::string text;
  std::string below = {};  ///< text in small type below, such as an interval
  bool best = false;       ///< true: bold, the best of its column
  bool second = false;     ///< true: underlined, the second-best of its column
  double shade = missing;  ///< shade in a heat map: 0 (lowest) to 1 (highest); NaN: none
};

/// Returns a cell with a mean and, if it has one, its interval below: "0.520", "0.495 to 0.545".
TableCell interval_cell(const Interval& estimate, int decimals);

/// One row: a header and its cells.
struct TableRow {
  std::string head;                   ///< text of the row header, such as the name of a run
  std::string below = {};             ///< text in small type below the header
  std::optional<size_t> style = {};   ///< style in plots, shown as a line sample before the header; not set: no sample
  std::vector<TableCell> cells = {};  ///< [column]
};

/// Consecutive rows under a common heading.
struct TableGroup {
  std::string heading;  ///< may be empty
  std::vector<TableRow> rows = {};
};

/// A table with a caption, column headers, row headers and row groups. A table wider than the page scrolls sideways
/// within a frame and keeps its row headers visible.
struct PageTable {
  std::string caption;
  std::string corner;  ///< heading of the column of row headers
  std::vector<TableColumn> columns = {};
  std::vector<TableGroup> groups = {{""}};  ///< by default one group without heading, to which rows can be added
};

/// Writes the table as HTML.
void write(Markup& out, const PageTable& table);

/// Appends the cells of a heat map to the rows of the table's first group. `figures`: [row][column]. Darker means
/// higher; each cell also shows the mean and half the width of its interval.
void add_heat(PageTable& table, const std::vector<std::vector<Interval>>& figures);

/// Writes a short line in the colour and dash of a style, for legends and tables; nothing for styles that look alike.
void write_swatch(Markup& out, size_t style);

}  // namespace compeer::report
