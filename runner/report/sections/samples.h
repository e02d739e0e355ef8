#pragma once
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Completions to read. Of each group of comparable evaluations, the first prompts that all its runs answered, the
/// runs side by side; of each training run, the first group of its first and of its last step. Prompts are taken in
/// the order of the data, never for what was said. Stays below about 600 kB. Nothing if no run kept rollouts.
void write_samples(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
