#pragma once
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/drawing/numbers.h"
#include "report/drawing/series.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// The plots: what each is given, and what it draws as inline SVG. `id` is unique on the page; `title` and
/// `description` are for screen readers, the visible heading is the figure's. Colours and dashes come from styles
/// (svg.h).

/// One run, or several of one kind, in a plot.
struct PlotLine {
  std::string label;  ///< short, drawn at the line's end
  std::string name;   ///< whole, shown when the pointer rests on it
  size_t style = 0;
  Curve heavy;          ///< what is to be read: smoothed, or the mean over runs
  Curve light;          ///< the raw values behind it; may be empty
  CurveSpread band;     ///< lowest to highest of several runs, or an interval; may be empty, or NaN where there is none
  Curve ringed = {};    ///< places to point out; may be empty
  bool points = false;  ///< every value of the heavy line is a point; else only those of a short line, and the last
};

/// Adds a mean to the line, and its interval to the band, which has a gap where there is none.
void add_point(PlotLine& line, double x, const Interval& estimate);

/// One metric over the steps of a run.
struct LinePlot {
  std::string id;     ///< unique on the page
  std::string title;  ///< for screen readers; the visible heading is the figure's
  std::string description;
  std::string x_label = "step";
  std::vector<PlotLine> lines;
  bool whole_steps = true;           ///< x has no halves, so it gets no ticks there
  bool labels = true;                ///< at the ends of lines; needless where a page shows one run only
  std::vector<double> x_shown = {};  ///< what the x axis covers though no line reaches it
};

/// Inline SVG: light raw lines, heavy lines told apart by colour, dash and a label at their end; round ticks.
/// The y axis covers all heavy lines and bands, and the light lines but for their outermost 1 % on either side, so
/// that one outlier does not flatten the rest. Draws nothing if no line has a value.
void draw(Markup& out, const LinePlot& plot);

/// Whether there is anything to draw.
bool has_values(const LinePlot& plot);

/// One run: its mean and 95 % interval.
struct DotRow {
  std::string label, name;
  size_t style = 0;
  Interval estimate;
};

/// Runs that are to be compared with each other, such as all that were decoded greedily. The first row is the
/// baseline: its interval is drawn as a band behind the others.
struct DotGroup {
  std::string heading;
  std::vector<DotRow> rows;
};

struct DotPlot {
  std::string id, title, description;
  std::vector<DotGroup> groups;
};

/// Inline SVG: a row for each run, its mean as a dot, its interval as a line, all on one axis.
/// Rows without a value are left out; draws nothing if none is left.
void draw(Markup& out, const DotPlot& plot);

bool has_values(const DotPlot& plot);

/// CSS classes p0 to p7 colour the parts, in turn.
inline constexpr size_t part_looks = 8;

/// One bar made of parts laid end to end. Parts are matched by place over all bars; NaN or 0: none.
struct BarRow {
  std::string label, name;
  std::vector<double> parts;
};

struct BarPlot {
  std::string id, title, description, x_label;
  std::vector<std::string> part_names;
  std::vector<BarRow> rows;
  std::string (*in_words)(double) = duration;  ///< how lengths are told
  bool totals = true;                          ///< tell each bar's whole length behind it
};

/// Inline SVG: horizontal stacked bars on one axis that starts at zero. Parts wide enough bear their name, so that
/// nothing depends on colour; the rest have it as a title. Draws nothing if all is zero.
void draw(Markup& out, const BarPlot& plot);

/// One run, or several of one kind, by two metrics.
struct ScatterDot {
  std::string label;  ///< short, drawn beside the dot
  std::string name;   ///< whole, shown when the pointer rests on it
  size_t style = 0;
  Interval x, y;
  bool ringed = false;
};

struct ScatterPlot {
  std::string id, title, description, x_label, y_label;
  std::vector<ScatterDot> dots;
};

/// Inline SVG: dots with crosses for their intervals, those that are ringed joined by a line from left to right. Labels
/// stand where they cover nothing, as far as there is room. Dots without both values are left out.
void draw(Markup& out, const ScatterPlot& plot);

/// One metric over two settings.
struct HeatMap {
  std::string id;                  ///< unique on the page
  std::string title, description;  ///< for screen readers
  std::string x_label, y_label;    ///< the settings
  std::vector<std::string> columns, rows;
  std::vector<std::vector<Interval>> cells;  ///< [row][column]; not known(): an empty cell
};

/// Inline SVG: a cell for each pair of values, darker the higher, with the mean and half of its interval in it, so that
/// nothing is told by colour alone. Draws nothing if no cell is known.
void draw(Markup& out, const HeatMap& map);

}  // namespace compeer::report
