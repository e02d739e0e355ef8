#pragma once
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// One run: its mean and 95 % interval.
struct DotRow {
  std::string label, name;
  size_t style = 0;
  Estimate estimate;
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

}  // namespace compeer::report
