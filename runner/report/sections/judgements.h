#pragma once
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What judges said of completions, beside what annotators said: the first records of the data that stages judged, all
/// judges side by side, "≠" where one disagrees with the annotators. Nothing if nothing was judged.
void write_judgements(Markup& out, const std::vector<RunData>& runs);

}  // namespace compeer::report
