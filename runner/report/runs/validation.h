#pragma once
#include <string>
#include <vector>

#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Validation: the same held-out records, looked at again and again while a model is trained. Columns
/// `validation/METRIC`, NaN at steps without a look. The first metric decides which look was the best.

/// What runs looked at, the metric that decides first; none of a run without validation.
std::vector<Metric> validation_metrics(const std::vector<const RunData*>& runs);

/// The step of the best look; NaN if there was none.
double best_step(const RunData& run);

/// For a run that left no summary: puts into it the figures of the best look so far, and its step.
void summarize_looks(RunData& run);

}  // namespace compeer::report
