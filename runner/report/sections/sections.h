#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// The sections of the page, in its order (page.cpp). Each writes what stands below its heading, and nothing where it
/// has nothing to say; then the page has no such section. Sweeps and frontiers, which are asked for, are in sweep.h and
/// frontier.h.

/// A paragraph of the findings, begun by its heading.
struct FindingParagraph {
  std::string heading;
  std::vector<std::string> sentences;
};

/// The headline of evaluate runs as dots with intervals, one plot a metric. Nothing of a single run.
void write_picture(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// What the numbers say, and no more. Evaluated models are compared with the model their training started from by the
/// first of the headline metrics, then with each other by all of them; a difference is called one only if its 95 %
/// interval leaves zero out. Training runs get the means of their first and last rows, without a verdict: the rows of
/// one run are no independent sample.
std::vector<FindingParagraph> findings(const std::vector<RunData>& runs, const Lineage& lineage);

/// The table below the findings: every headline metric of every trained model, before and after. Nothing if there are
/// no pairs, or too many to read.
void write_changes(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// What to be aware of: runs that did not finish, or ended early, with the reason they left; records that were cut or
/// left out; files that can't be read or were changed; warnings; what the figures of evaluations leave out.
std::vector<std::string> notices(const std::vector<RunData>& runs);

/// All evaluations. Of evaluate runs tables of everything, means over seeds. Of
/// each group of stages the paper's table, what was not scored and why, shares, curves over rounds, all other figures.
void write_evaluations(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Curves over steps of all runs of one task, by topic; a legend (with which lines can be hidden); the rule by which
/// lines were smoothed and thinned; a table of the last rows, and one of the best looks of validation, which are drawn
/// as they were measured. What never changes is said in a sentence instead of drawn. Runs that differ in their seeds
/// alone are one line, their mean, in a band from the lowest to the highest.
void write_curves(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task);

/// Completions to read. Of each group of comparable evaluations, the first prompts that all its runs answered, the
/// runs side by side; of each training run, the first group of its first and of its last step. Prompts are taken in
/// the order of the data, never for what was said. Stays below about 600 kB. Nothing if no run kept rollouts.
void write_samples(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Dialogues played in evaluations, the runs side by side: what was said, the steps before a reply, numbers of a turn
/// (the emotion point), scores. The first that the runs share, in the order of the data. Stays below about 600 kB.
/// Nothing if no run kept any.
void write_transcripts(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// What judges said of completions, beside what annotators said: the first records of the data that stages judged, all
/// judges side by side, "≠" where one disagrees with the annotators.
void write_judgements(Markup& out, const std::vector<RunData>& runs);

/// What became of the records of data runs, stage by stage: how many went in and out, why some were dropped, what was
/// counted.
void write_funnel(Markup& out, const std::vector<RunData>& runs);

/// Seconds a run spent in each phase, over all its rows. `seconds/step` is the whole of a step: what its phases leave
/// of it is called "other". Validation comes between steps, so it is no part of that.
struct Phases {
  std::vector<std::string> names;            ///< the longest first, "other" last
  std::vector<std::vector<double>> seconds;  ///< for each run, for each name; NaN: not measured
  std::vector<double> whole;                 ///< for each run
};
Phases phases_of(const std::vector<RunData>& runs);

/// How long each run took, and with what: bars of the seconds spent in each phase, then a table.
void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// For each task of which there are several runs: a table of the settings that differ.
void write_differences(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

/// Every run's whole spec, folded, with the origin of each value, and the texts they were made from.
void write_specs(Markup& out, const std::vector<RunData>& runs);

/// Ranks, threads, programs, fingerprints of specs and plugins.
void write_provenance(Markup& out, const std::vector<RunData>& runs);

}  // namespace compeer::report
