#pragma once
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What became of the records of data runs, stage by stage: how many went in and out, why some were dropped, what was
/// counted. Nothing if there is no data run.
void write_funnel(Markup& out, const std::vector<RunData>& runs);

}  // namespace compeer::report
