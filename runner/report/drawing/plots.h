#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/markup.h"
#include "report/drawing/numbers.h"
#include "report/drawing/series.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Plots as inline SVG: curves, and dots with intervals. Tables and heat maps are in table.h. `id` must be unique on
/// the page; `title` is for screen readers. A style is an index that determines colour and dash.

/// Number of styles that look different. Lines of higher styles all look alike and differ only in labels and titles.
inline constexpr size_t styles_told_apart = 12;

/// Returns the CSS classes of a run's marks: "s3" for colour and dash, "r3" for hiding by the legend.
std::string style_class(size_t style);

/// One line of a plot: a run, or several that differ only in their seeds.
struct PlotLine {
  std::string label;  ///< short, drawn at the end of the line; empty: no label
  std::string name;   ///< full name, shown as a tooltip
  size_t style = 0;
  Curve heavy;  ///< the main curve: smoothed, or the mean over runs
  Curve light;  ///< raw values, drawn lightly; may be empty
  /// Range over several runs, or an interval; may be empty, or NaN in places.
  CurveSpread band;
  Curve ringed = {};  ///< points to mark with a ring; may be empty
  /// Draws every value of the heavy curve as a point; otherwise only those of short curves, and the last one.
  bool points = false;
  Interval across = {};  ///< for a line of one point: its interval along x, if there is one
};

/// Appends a mean to the line's heavy curve and its interval to the band; without an interval the band has a gap.
void add_point(PlotLine& line, double x, const Interval& estimate);

/// A plot of curves: light raw curves, and heavy curves distinguished by colour, dash and a label at their end. The y
/// axis covers all heavy curves and bands, and the light curves except for their extreme 1 % on either side.
struct LinePlot {
  std::string id, title;
  std::string x_label = "step";
  std::vector<PlotLine> lines;
  bool whole_steps = true;           ///< x values are integers: no ticks between them
  bool labels = true;                ///< labels at the ends of lines
  std::vector<double> x_shown = {};  ///< values that the x axis must also cover
};
void draw(Markup& out, const LinePlot& plot);  ///< draws nothing if no line has a value
bool has_values(const LinePlot& plot);

/// One row of a dot plot: a run's mean and 95 % interval.
struct DotRow {
  std::string label, name;
  size_t style = 0;
  Interval estimate;
};

/// Rows to be compared with each other. The interval of the first row, the baseline, is drawn as a band.
struct DotGroup {
  std::string heading;
  std::vector<DotRow> rows;
};

/// A plot of dots with intervals: a row for each run, with a common axis. Rows without a value are omitted.
struct DotPlot {
  std::string id, title;
  std::vector<DotGroup> groups;
  bool baseline = true;  ///< draws the bands of the baselines
};
void draw(Markup& out, const DotPlot& plot);  ///< draws nothing if no row has a value
bool has_values(const DotPlot& plot);

/// Opens a figure with its caption, for a plot to be drawn into.
Markup::Scope open_plot(Markup& out, const std::string& title, const std::string& from, const std::string& note);

// Building blocks of plots.

/// The drawing area of a plot: its edges in drawing coordinates, and the ranges of both axes.
struct PlotFrame {
  double left, top, right, bottom;
  Range x = {}, y = {};

  double at_x(double value) const { return left + (value - x.low) / (x.high - x.low) * (right - left); }
  double at_y(double value) const { return bottom - (value - y.low) / (y.high - y.low) * (bottom - top); }
};

/// Formats a coordinate with at most one decimal: "12", "12.5", "-0.3".
std::string coordinate(double value);

/// Returns the approximate width of text in this font size; wide characters (CJK) count a full em.
double text_width(std::string_view text, double size);

/// Truncates to at most `most` characters, with "…" in the middle, where names differ least.
std::string shortened(const std::string& text, size_t most);

/// Returns SVG path data through points in drawing coordinates. Relative steps with one decimal keep pages small.
std::string path_data(const Curve& points);

/// Opens <svg> with role and title for screen readers.
Markup::Scope open_svg(Markup& out, const std::string& id, double width, double height, const std::string& title);

/// Writes text at a position: `anchor` is start, middle or end; `kind` is a CSS class.
void svg_text(Markup& out, double x, double y, const char* anchor, const char* kind, const std::string& text);

void svg_line(Markup& out, double x1, double y1, double x2, double y2, const char* kind);

}  // namespace compeer::report
