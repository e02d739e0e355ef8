#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// For each task of which there are several runs: a table of the settings that differ. Nothing if none do.
void write_differences(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Every run's whole spec, folded, with the origin of each value, and the texts they were made from.
void write_specs(Markup& out, const std::vector<RunData>& runs);

/// Ranks, threads, programs, fingerprints of specs and plugins.
void write_provenance(Markup& out, const std::vector<RunData>& runs);

}  // namespace compeer::report
