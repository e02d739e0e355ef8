#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/comparing/compare.h"
#include "report/comparing/lineage.h"
#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// A measurement of one model or judge: an evaluate run, with the figures of its summary, or a stage of a data run
/// whose findings contain figures.
struct Evaluation {
  size_t run;                               ///< index in the list of runs
  size_t stage;                             ///< index of the stage; 0: the run as a whole
  const RunData* data;                      ///< the run
  nlohmann::json test;                      ///< seed and circumstances; candidates are paired by equal values
  std::map<std::string, Interval> figures;  ///< by path: "reward", "mean_emotion", "reply/weighted_f1"

  const StageData& of_stage() const { return data->stages[stage]; }  ///< stages only
};

/// The subject of one table row, dot or line: one evaluation, or several that differ only in their seeds.
struct Candidate {
  /// The name of its runs, with the stage's name if a run has several stages of this plugin. `label` is short.
  std::string name, label;
  std::string subject;  ///< the run that trained the model, or the model's path
  size_t style = 0;     ///< index of colour and dash (plots.h)
  std::vector<Evaluation> evaluations;
};

/// Comparable evaluations: equal data and settings except for the model or judge that is evaluated.
struct EvaluationGroup {
  std::string plugin;   ///< plugin of the stages; empty for evaluate runs
  std::string heading;  ///< "Sampled, temperature 1", "Greedy"; "sage", "sage (rounds = 20)"
  /// Columns of the main tables, in order; for stages those that their findings declare.
  std::vector<Metric> columns{};
  std::vector<Metric> headline{};  ///< metrics shown in plots and differences
  /// For stages: which direction is better, by the last part of a figure's path.
  std::map<std::string, Better> ways{};
  std::vector<Candidate> candidates{};  ///< the baseline is first
  /// Pairs of indices of candidates to compare: each model with the one its training started from (if none is known,
  /// with the first candidate), and, for at most four models, all pairs of them.
  std::vector<std::pair<size_t, size_t>> comparisons{};

  /// Returns the description of a figure: its title and which direction is better.
  Metric metric(const std::string& path) const;
};

/// Returns all groups: evaluate runs (sampled before greedy), then stages with figures. The baseline of a group is the
/// evaluation of the model that the others were trained from, otherwise the first evaluation. A stage that occurs in
/// two runs with the same settings and findings counts once. `runs` must outlive the result.
std::vector<EvaluationGroup> evaluations(const std::vector<RunData>& runs, const Lineage& lineage);

/// Returns the group with every evaluation as a separate candidate.
EvaluationGroup each_run(const EvaluationGroup& group);

/// Returns a figure of a candidate: its own interval or, for several evaluations, their mean with a t interval over
/// them.
Interval figure_of(const Candidate& candidate, const std::string& path);

/// One figure, or the marks (compare.h), for each candidate of a group.
std::vector<Interval> figures(const EvaluationGroup& group, const std::string& path);
std::vector<CellMarks> cell_marks(const EvaluationGroup& group, const std::string& path);

/// Returns the difference b - a. Two evaluate runs are paired by prompt (compare.h). Candidates that both went through
/// the same tests, at least two, are paired by test (t interval), which removes the variance between seeds. Otherwise
/// the difference of independent means.
MeanDifference difference(const Candidate& a, const Candidate& b, const std::string& path);

// Subject and circumstances of an evaluation, read from specs (subject.cpp). `stage` is the index of a stage of a data
// run, or 0 for an evaluate run as a whole.

/// Returns the stage whose settings name the subject: this one, or the earlier one that generated what this one
/// measures.
size_t subject_stage(const RunData& run, size_t stage);

/// Returns the models evaluated, as folders or names at an endpoint: the model of an evaluate run; for a stage the chat
/// model under test, or the judges of steps and of replies.
std::vector<std::string> subject_paths(const RunData& run, size_t stage);

/// Returns the settings of the stage and of its subject stage.
nlohmann::json subject_settings(const RunData& run, size_t stage);

/// Returns the input of a run's stages: the dataset's settings and the splits.
nlohmann::json data_of(const RunData& run);

/// Returns everything that must be equal for two evaluations to measure the same. For evaluate runs: data, split,
/// rewards and decoding. For stages: data, earlier stages and the settings that don't name the subject.
nlohmann::json circumstances(const RunData& run, size_t stage);

/// Returns "Greedy" or "Sampled, temperature 1".
std::string decoding_of(const RunData& run);

}  // namespace compeer::report
