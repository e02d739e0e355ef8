#pragma once
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Dialogues played in evaluations, the runs side by side: what was said, the steps before a reply, numbers of a turn
/// (the emotion point), scores. The first that the runs share, in the order of the data. Stays below about 600 kB.
/// Nothing if no run kept any.
void write_transcripts(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
