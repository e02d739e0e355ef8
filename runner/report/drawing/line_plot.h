#pragma once
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/drawing/series.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// One run, or several of one kind, in a plot.
struct PlotLine {
  std::string label;  ///< short, drawn at the line's end
  std::string name;   ///< whole, shown when the pointer rests on it
  size_t style = 0;
  Curve heavy;          ///< what is to be read: smoothed, or the mean over runs
  Curve light;          ///< the raw values behind it; may be empty
  Spread band;          ///< lowest to highest of several runs, or an interval; may be empty, or NaN where there is none
  Curve ringed = {};    ///< places to point out; may be empty
  bool points = false;  ///< every value of the heavy line is a point; else only those of a short line, and the last
};

/// Adds a mean to the line, and its interval to the band, which has a gap where there is none.
void add_point(PlotLine& line, double x, const Estimate& estimate);

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

}  // namespace compeer::report
