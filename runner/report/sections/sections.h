#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

/// The sections of a report page, except the optional ones about sweeps and trade-offs. Each function writes the
/// content below the section's heading to `out`, or nothing; the page then omits the section. `runs` are all runs of
/// the report; `lineage` contains the relations between them: which repeat each other with other seeds, and their
/// colours.
namespace compeer::report {

/// Returns the sentences at the top of the page about problems: runs that did not finish, or ended early, with the
/// reason; records that were trimmed or skipped; files that are unreadable or were modified; warnings; records and
/// scores missing from evaluations' figures.
std::vector<std::string> notices(const std::vector<RunData>& runs);

/// Writes for each group of comparable evaluations: its main metrics as dots with intervals, differences between
/// models, the table of all figures, missing scores with reasons, shares of labels, curves over the rounds of a
/// dialogue.
void write_evaluations(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Writes the curves over steps of all runs of one task, by topic; a legend, which can hide lines; a table of the last
/// rows and of the best validation. Metrics that never change are listed instead of drawn. Runs that differ only in
/// their seeds are one line, their mean, with a band from the lowest to the highest.
void write_curves(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task);

/// Writes sample completions. For each group of comparable evaluations, the first prompts that all its runs answered,
/// side by side; for each training run, the first group of its first and last step. Selected by order only, never by
/// content. At most about 600 kB. Nothing if no run recorded rollouts.
void write_samples(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Writes the first records of stages of data runs that measured something, those that the runs share, side by side:
/// dialogues with scores and the numbers of each turn; of other records all fields. At most about 600 kB.
void write_stage_records(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Writes tables of the stages of data runs: records in and out, reasons for dropping, counts.
void write_stages(Markup& out, const std::vector<RunData>& runs);

/// Seconds that each run spent in each phase of its steps (such as "rollout" or "train"), summed over all steps. The
/// part of the steps' time that no phase accounts for is "other". Validation is a phase, too, although it runs between
/// steps.
struct Phases {
  std::vector<std::string> names;            ///< phases, longest first, "other" last
  std::vector<std::vector<double>> seconds;  ///< [run][phase]; NaN: not measured
  std::vector<double> whole;                 ///< [run]: seconds of all phases, including validation
};
/// Computes the phases from the columns `seconds/<phase>` of the runs.
Phases phases_of(const std::vector<RunData>& runs);

/// Writes the table of times: how long each run took, and the seconds spent in each phase.
void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Writes for each task with several runs a table of the settings that differ.
void write_differences(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Writes every run's whole spec, folded, with the origin of each value, start time, software and host, and the scripts
/// and files that specs were made from.
void write_specs(Markup& out, const std::vector<RunData>& runs);

/// Writes versions and fingerprints of plugins, and the runs that used them.
void write_plugins(Markup& out, const std::vector<RunData>& runs);

}  // namespace compeer::report
