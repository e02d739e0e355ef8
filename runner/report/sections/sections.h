#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

// The sections of the page (report.cpp has their order). Each writes what stands below its heading, and nothing where
// it has nothing to show; then the page has no such section. Sweeps and frontiers, which are asked for, are in sweep.h
// and frontier.h.

/// What to be aware of: runs that did not finish, or ended early, with the reason they left; records that were cut or
/// left out; files that can't be read or were changed; warnings; what the figures of evaluations leave out.
std::vector<std::string> notices(const std::vector<RunData>& runs);

/// Of each group of comparable evaluations its headline as dots with intervals, differences, the table of all figures,
/// what was not scored and why, shares, curves over rounds. A difference is called one only if its 95 % interval leaves
/// zero out.
void write_evaluations(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Curves over steps of all runs of one task, by topic; a legend (with which lines can be hidden); a table of the last
/// rows, and one of the best looks of validation, which are drawn as they were measured. What never changes is named
/// instead of drawn. Runs that differ in their seeds alone are one line, their mean, in a band from the lowest to the
/// highest.
void write_curves(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task);

/// Completions to read. Of each group of comparable evaluations, the first prompts that all its runs answered, the
/// runs side by side; of each training run, the first group of its first and of its last step. Prompts are taken in
/// the order of the data, never for what was said. Stays below about 600 kB. Nothing if no run kept rollouts.
void write_samples(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Records of stages that measured something, the runs side by side: dialogues with the numbers of a turn and their
/// scores, of other records all fields. The first that the runs share, in the order of the data. Stays below about
/// 600 kB.
void write_stage_records(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// What became of the records of data runs, stage by stage: how many went in and out, why some were dropped, what was
/// counted.
void write_stages(Markup& out, const std::vector<RunData>& runs);

/// Seconds a run spent in each phase, over all its rows. `seconds/step` is the whole of a step: what its phases leave
/// of it is called "other". Validation comes between steps, so it is no part of that.
struct Phases {
  std::vector<std::string> names;            ///< the longest first, "other" last
  std::vector<std::vector<double>> seconds;  ///< for each run, for each name; NaN: not measured
  std::vector<double> whole;                 ///< for each run
};
Phases phases_of(const std::vector<RunData>& runs);

/// How long each run took, and the seconds spent in each phase.
void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// For each task of which there are several runs: a table of the settings that differ.
void write_differences(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Every run's whole spec, folded, with the origin of each value, when and with what it ran, and the texts specs were
/// made from.
void write_specs(Markup& out, const std::vector<RunData>& runs);

/// Versions and fingerprints of plugins, and the runs that used them.
void write_plugins(Markup& out, const std::vector<RunData>& runs);

}  // namespace compeer::report
