#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/markup.h"
#include "report/drawing/numbers.h"
#include "report/drawing/series.h"
#include "report/runs/run_data.h"

/// Plots of a report page as inline SVG: curves over steps, and dots with intervals. A plot is filled as plain data and
/// then drawn. Definitions for all plots: `id` is the HTML id, unique on the page; `title` is for screen readers; a
/// style is an index that determines colour and dash of a run's marks. An Interval is a mean with its 95 % interval.
namespace compeer::report {

/// Number of styles that look different, 0 to 11. Lines of higher styles all look alike and differ only in labels and
/// titles.
inline constexpr size_t styles_told_apart = 12;

/// Returns the CSS classes of a run's marks, "s3 r3": the first for colour and dash, the second for hiding by the
/// legend.
std::string style_class(size_t style);

/// One line of a plot: a run, or several that differ only in their seeds.
struct PlotLine {
  std::string label;  ///< short, drawn at the end of the line; empty: no label
  std::string name;   ///< full name, shown as a tooltip
  size_t style = 0;
  Curve heavy;  ///< the main curve, drawn heavily: smoothed, or the mean over runs
  Curve light;  ///< raw values, drawn lightly; may be empty
  /// Band around the curve: lowest to highest of several runs, or an interval. May be empty, or NaN in places.
  CurveSpread band;
  Curve ringed = {};  ///< points to mark with a ring; may be empty
  /// True: draws every value of the heavy curve as a point. False: only those of short curves, and the last one.
  bool points = false;
  Interval across = {};  ///< horizontal interval, for a line of one point; optional
};

/// Appends the point (x, mean) to the line's heavy curve and its interval to the band; without an interval the band has
/// a gap. Does nothing for an unknown mean.
void add_point(PlotLine& line, double x, const Interval& estimate);

/// A plot of curves: light raw curves, and heavy curves distinguished by colour, dash and a label at their end. The y
/// axis covers all heavy curves and bands, and the light curves except for their extreme 1 % on either side.
struct LinePlot {
  std::string id, title;
  std::string x_label = "step";
  std::vector<PlotLine> lines;
  bool whole_steps = true;           ///< true if x values are integers: no ticks between them
  bool labels = true;                ///< true: draws labels at the ends of lines
  std::vector<double> x_shown = {};  ///< values that the x axis must also cover
};
void draw(Markup& out, const LinePlot& plot);  ///< writes the plot as <svg>; nothing if no line has a value
bool has_values(const LinePlot& plot);         ///< true if a line has a heavy value

/// One row of a dot plot: a run's mean and 95 % interval.
struct DotRow {
  std::string label;  ///< short, drawn to the left of the dot
  std::string name;   ///< full name, shown as a tooltip
  size_t style = 0;
  Interval estimate;
};

/// Rows to be compared with each other. The interval of the first row, the baseline, is drawn as a band.
struct DotGroup {
  std::string heading;  ///< drawn above the rows; may be empty
  std::vector<DotRow> rows;
};

/// A plot of dots with intervals: a row for each run, with a common axis. Rows without a value are omitted.
struct DotPlot {
  std::string id, title;
  std::vector<DotGroup> groups;
  bool baseline = true;  ///< true: draws the bands of the baselines
};
void draw(Markup& out, const DotPlot& plot);  ///< writes the plot as <svg>; nothing if no row has a value
bool has_values(const DotPlot& plot);         ///< true if a row has a value

/// Opens a <figure> with a caption, for a plot to be drawn into; it is closed when the result is destroyed. `title` is
/// the caption; `from` (such as the plugin of a metric) and `note` (an explanation) follow it and may be empty.
Markup::Scope open_plot(Markup& out, const std::string& title, const std::string& from, const std::string& note);

// Building blocks of plots. Drawing coordinates are units of the SVG's viewBox, about pixels; y grows downwards.

/// The drawing area of a plot within its axes.
struct PlotFrame {
  double left, top, right, bottom;  ///< edges in drawing coordinates
  Range x = {}, y = {};             ///< ranges of the axes, in units of the data

  // Convert values of the data to drawing coordinates.
  double at_x(double value) const { return left + (value - x.low) / (x.high - x.low) * (right - left); }
  double at_y(double value) const { return bottom - (value - y.low) / (y.high - y.low) * (bottom - top); }
};

/// Formats a drawing coordinate with at most one decimal: "12", "12.5", "-0.3".
std::string coordinate(double value);

/// Returns the approximate width of UTF-8 text in drawing coordinates, at the font size `size`; wide characters (CJK)
/// count a full em.
double text_width(std::string_view text, double size);

/// Truncates a name to at most `most` characters, with "…" in the middle, where names differ least.
std::string shortened(const std::string& text, size_t most);

/// Returns the attribute `d` of an SVG <path> through points in drawing coordinates. Relative steps with one decimal
/// keep pages small.
std::string path_data(const Curve& points);

/// Opens an <svg> element with this viewBox size, and with role and title for screen readers. It is closed when the
/// result is destroyed.
Markup::Scope open_svg(Markup& out, const std::string& id, double width, double height, const std::string& title);

/// Writes <text> at a position in drawing coordinates. `anchor`: part of the text at x: "start", "middle" or "end".
/// `kind`: CSS class.
void svg_text(Markup& out, double x, double y, const char* anchor, const char* kind, const std::string& text);

/// Writes a <line> between two points in drawing coordinates. `kind`: CSS class.
void svg_line(Markup& out, double x1, double y1, double x2, double y2, const char* kind);

}  // namespace compeer::report
