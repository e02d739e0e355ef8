#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/comparing/compare.h"
#include "report/comparing/lineage.h"
#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

/// Finds the evaluations among the runs of a report and groups those that measure the same, so that their results can
/// be shown in one table and compared. An evaluation measures a language model, or a judge (a model that scores
/// replies): its subject. Results are figures: means with 95 % intervals, named by paths such as "reply/weighted_f1".
/// They come from an evaluate run, or from the findings of a stage of a data run (a plugin that processes records).
namespace compeer::report {

/// A measurement of one subject: an evaluate run, with the figures of its summary, or a stage of a data run with
/// figures in its findings.
struct Evaluation {
  size_t run;           ///< index in the list of runs
  size_t stage;         ///< index in RunData::stages; 0: the run as a whole, an evaluate run
  const RunData* data;  ///< the run; not owned
  nlohmann::json test;  ///< seed and circumstances(); evaluations of two candidates are paired if these are equal
  std::map<std::string, Interval> figures;  ///< by path: "reward", "mean_emotion", "reply/weighted_f1"

  const StageData& stage_data() const { return data->stages[stage]; }  ///< the stage; only if `stage` > 0
};

/// One table row, dot or line: a subject with its evaluation, or several evaluations that differ only in their seeds.
struct Candidate {
  /// Name of its runs, with the stage's name if a run has several stages of this plugin.
  std::string name;
  std::string label;                    ///< short name for plots
  std::string subject;                  ///< the run that trained the model, or the model's path
  size_t style = 0;                     ///< index of colour and dash in plots
  std::vector<Evaluation> evaluations;  ///< at least one
};

/// Comparable evaluations: equal data and settings except for their subjects.
struct EvaluationGroup {
  std::string plugin;   ///< plugin of the stages; empty for evaluate runs
  std::string heading;  ///< title: "Sampled, temperature 1", "Greedy"; "sage", "sage (rounds = 20)"
  /// Columns of the main tables, in order; for stages those that their findings declare.
  std::vector<Metric> columns{};
  std::vector<Metric> headline{};  ///< metrics shown in plots and differences
  /// For stages: which direction is better, by the last part of a figure's path.
  std::map<std::string, Better> directions{};
  std::vector<Candidate> candidates{};  ///< rows of the tables; baselines are first
  /// Pairs of indices of candidates to compare, (baseline, other): each model with the one its training started from
  /// (if none is known, with the first candidate), and, for at most four models, all pairs of them.
  std::vector<std::pair<size_t, size_t>> comparisons{};

  /// Returns the description of the figure with this path: its title and which direction is better.
  Metric metric(const std::string& path) const;
};

/// Returns all groups: evaluate runs (sampled before greedy), then stages with figures. The baseline of a group is the
/// evaluation of the model that the others were trained from, otherwise the first evaluation. A stage that occurs in
/// two runs with the same settings and findings counts once. `runs` must outlive the result.
std::vector<EvaluationGroup> evaluations(const std::vector<RunData>& runs, const Lineage& lineage);

/// Returns the group with every evaluation as a separate candidate, so that seeds are not averaged, and without
/// comparisons.
EvaluationGroup each_run(const EvaluationGroup& group);

/// Returns the figure with this path for a candidate: its own interval or, for several evaluations, their mean with a t
/// interval over them. Not known() if there is none.
Interval figure_of(const Candidate& candidate, const std::string& path);

/// Return, for each candidate of a group, the figure with this path, or the marks of its table cell (best, second,
/// tied).
std::vector<Interval> figures(const EvaluationGroup& group, const std::string& path);
std::vector<CellMarks> cell_marks(const EvaluationGroup& group, const std::string& path);

/// Returns the difference b - a of the figure with this path. Two evaluate runs are paired by prompt. Candidates with
/// equal Evaluation::test values, at least two, are paired by these (t interval), which removes the variance between
/// seeds. Otherwise the difference of independent means.
MeanDifference difference(const Candidate& a, const Candidate& b, const std::string& path);

// Subject and circumstances of an evaluation, read from specs. `stage` is the index of a stage of a data run, or 0 for
// an evaluate run as a whole.

/// Returns the index of the stage that names the subject in its settings: `stage` itself, or an earlier one that
/// generated the records that `stage` measures.
size_t subject_stage(const RunData& run, size_t stage);

/// Returns the evaluated models, as folders or as names at an endpoint: the model of an evaluate run; for a stage the
/// chat model under test, or the judges of reasoning steps and of replies.
std::vector<std::string> subject_paths(const RunData& run, size_t stage);

/// Returns the settings of the stage and of its subject_stage(), [stage, subject stage].
nlohmann::json subject_settings(const RunData& run, size_t stage);

/// Returns the input of a run's stages: {"dataset": settings, "splits": setting data.splits}.
nlohmann::json data_of(const RunData& run);

/// Returns, as one JSON value, everything that must be equal for two evaluations to measure the same. For evaluate
/// runs: data, split, rewards and decoding. For stages: data, earlier stages and the settings that don't name the
/// subject.
nlohmann::json circumstances(const RunData& run, size_t stage);

/// Returns the decoding of an evaluate run: "Greedy" or "Sampled, temperature 1".
std::string decoding_of(const RunData& run);

}  // namespace compeer::report
