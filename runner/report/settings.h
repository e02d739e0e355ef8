#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/lineage.h"
#include "report/markup.h"
#include "report/run_data.h"

namespace compeer::report {

/// A spec as one value per path: "grpo.lr" -> "0.0002", "rewards[0].plugin" -> "\"length\"". Lists of plain values stay
/// whole.
std::map<std::string, std::string> flattened(const nlohmann::json& spec);

/// Paths whose values differ between these runs, a path that only some have included. The name is left out, and the
/// fingerprint of an input whose path differs anyway.
std::vector<std::string> changed(const std::vector<const RunData*>& runs);

/// For each task of which there are several runs: a table of the settings that differ. Nothing if none do.
void write_differences(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Every run's whole spec, folded, with the origin of each value, and the texts they were made from.
void write_specs(Markup& out, const std::vector<RunData>& runs);

/// Ranks, threads, programs, fingerprints of specs and plugins.
void write_provenance(Markup& out, const std::vector<RunData>& runs);

}  // namespace compeer::report
