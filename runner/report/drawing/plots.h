#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/markup.h"
#include "report/drawing/numbers.h"
#include "report/drawing/series.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// The drawings, as inline SVG: curves, and dots with intervals. Tables and heat maps are in table.h. `id` is unique on
/// the page; `title` is for screen readers, the visible heading is the figure's, the figures are in a table nearby. A
/// style is a number that gives colour and dash.

/// From this style on all look alike, "many", and are told apart by their labels and titles.
inline constexpr size_t styles_told_apart = 12;

/// CSS classes of a run's marks: "s3" gives colour and dash, "r3" lets the legend hide it.
std::string style_class(size_t style);

/// One run, or several of one kind, in a plot.
struct PlotLine {
  std::string label;  ///< short, drawn at the line's end; "": none
  std::string name;   ///< whole, shown when the pointer rests on it
  size_t style = 0;
  Curve heavy;          ///< what is to be read: smoothed, or the mean over runs
  Curve light;          ///< the raw values behind it; may be empty
  CurveSpread band;     ///< lowest to highest of several runs, or an interval; may be empty, or NaN where there is none
  Curve ringed = {};    ///< places to point out; may be empty
  bool points = false;  ///< every value of the heavy line is a point; else only those of a short line, and the last
  Interval across = {};  ///< of a line of one point: its interval along x, if it has one
};

/// Adds a mean to the line, and its interval to the band, which has a gap where there is none.
void add_point(PlotLine& line, double x, const Interval& estimate);

/// Curves: light raw lines, heavy lines told apart by colour, dash and a label at their end; round ticks.
/// The y axis covers all heavy lines and bands, and the light lines but for their outermost 1 % on either side, so
/// that one outlier does not flatten the rest.
struct LinePlot {
  std::string id, title;
  std::string x_label = "step";
  std::vector<PlotLine> lines;
  bool whole_steps = true;           ///< x has no halves, so it gets no ticks there
  bool labels = true;                ///< at the ends of lines; needless where a page shows one run only
  std::vector<double> x_shown = {};  ///< what the x axis covers though no line reaches it
};
void draw(Markup& out, const LinePlot& plot);  ///< nothing if no line has a value
bool has_values(const LinePlot& plot);

/// One run: its mean and 95 % interval.
struct DotRow {
  std::string label, name;
  size_t style = 0;
  Interval estimate;
};

/// Rows that are to be compared with each other. The interval of the first, the baseline, is drawn as a band behind the
/// others.
struct DotGroup {
  std::string heading;
  std::vector<DotRow> rows;
};

/// Dots with intervals: a row for each run, all on one axis. Rows without a value are left out.
struct DotPlot {
  std::string id, title;
  std::vector<DotGroup> groups;
  bool baseline = true;
};
void draw(Markup& out, const DotPlot& plot);  ///< nothing if no row has a value
bool has_values(const DotPlot& plot);

/// Opens a figure with its caption; the plot is drawn into it.
Markup::Scope open_plot(Markup& out, const std::string& title, const std::string& from, const std::string& note);

// What plots are made of.

/// Where a plot draws its values: edges in drawing coordinates, and the ranges of both axes between them.
struct PlotFrame {
  double left, top, right, bottom;
  Range x = {}, y = {};

  double at_x(double value) const { return left + (value - x.low) / (x.high - x.low) * (right - left); }
  double at_y(double value) const { return bottom - (value - y.low) / (y.high - y.low) * (bottom - top); }
};

/// A coordinate with one decimal and nothing superfluous: "12", "12.5", "-0.3".
std::string coordinate(double value);

/// About how wide text is drawn at this size: wide characters (CJK) count a full em.
double text_width(std::string_view text, double size);

/// At most `most` characters, with "…" in the middle, where names differ least. Whole characters only.
std::string shortened(const std::string& text, size_t most);

/// Path data through points already in drawing coordinates; relative steps of one decimal keep pages small.
std::string path_data(const Curve& points);

/// Opens <svg> with what screen readers need: role and title.
Markup::Scope open_svg(Markup& out, const std::string& id, double width, double height, const std::string& title);

/// Text at a place: `anchor` is start, middle or end; `kind` a CSS class.
void svg_text(Markup& out, double x, double y, const char* anchor, const char* kind, const std::string& text);

void svg_line(Markup& out, double x1, double y1, double x2, double y2, const char* kind);

}  // namespace compeer::report
