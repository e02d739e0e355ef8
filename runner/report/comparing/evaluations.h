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

/// The measurement of one model or judge: an evaluate run as a whole, whose figures are those of its summary, or a
/// stage of a data run whose findings hold figures.
struct Evaluation {
  size_t run;           ///< place in the list of runs
  size_t stage;         ///< 0: the run as a whole
  const RunData* data;  ///< the run
  nlohmann::json test;  ///< seed and circumstances; candidates with equal tests are compared test by test
  std::map<std::string, Interval> figures;  ///< by path: "reward", "mean_emotion", "reply/weighted_f1"

  const StageData& of_stage() const { return data->stages[stage]; }  ///< of a stage only
};

/// Who is evaluated: a row of a table, a dot or a line of a plot. One evaluation, or several that differ in their seeds
/// alone.
struct Candidate {
  std::string name, label;  ///< of its runs; with the stage's where a run has several of this plugin. `label` is short
  std::string subject;      ///< the run that taught the model, or a path
  size_t style = 0;
  std::vector<Evaluation> evaluations;
};

/// Evaluations that may be compared: the same data and settings but for who is evaluated.
struct EvaluationGroup {
  std::string plugin;                    ///< of the stages; "" for evaluate runs
  std::string heading;                   ///< "Sampled, temperature 1", "Greedy"; "sage", "sage (rounds = 20)"
  std::vector<Metric> columns{};         ///< of the main tables, in their order; of stages those their findings name
  std::vector<Metric> headline{};        ///< what plots and differences are about
  std::map<std::string, Better> ways{};  ///< of stages which way is better, by the names of figures
  std::vector<Candidate> candidates{};   ///< the baseline first
  /// Pairs of candidates worth a difference, by their places: each model with the one its training started from (where
  /// none is known, with the first), and of few models each with each.
  std::vector<std::pair<size_t, size_t>> comparisons{};

  /// What a figure is called, and which way is better.
  Metric metric(const std::string& path) const;
};

/// All groups: evaluate runs (sampled before greedy), then stages that measure something. The baseline of a group is
/// the evaluation of the model that the others' training started from; without one, the first given. A stage that was
/// done twice, under two names, with the same outcome, counts once. The runs must outlive the groups.
std::vector<EvaluationGroup> evaluations(const std::vector<RunData>& runs, const Lineage& lineage);

/// The same group with every evaluation a candidate of its own.
EvaluationGroup each_run(const EvaluationGroup& group);

/// A figure of one candidate: its own interval, or of several evaluations their mean with a t interval over them.
Interval figure_of(const Candidate& candidate, const std::string& path);

/// One of each candidate of a group, and how they stand to each other.
std::vector<Interval> figures(const EvaluationGroup& group, const std::string& path);
std::vector<Standing> standings(const EvaluationGroup& group, const std::string& path);

/// b - a. Of two evaluate runs prompt by prompt (compare.h). Where both went through the same tests, two at least, test
/// by test with a t interval, so that what a seed's world adds to both falls out; else of independent means.
MeanDifference difference(const Candidate& a, const Candidate& b, const std::string& path);

// Who is evaluated, and under which circumstances, as specs say it (subject.cpp). `stage` is a stage of a data run, or
// 0 for an evaluate run as a whole.

/// The stage whose settings say who is evaluated: this one, or the one before it that played what this one measures.
size_t subject_stage(const RunData& run, size_t stage);

/// The models that are evaluated, by folder or by name at an endpoint: the model of an evaluate run; of a stage the
/// chat model under test, or the judge of steps and then the one of replies.
std::vector<std::string> subject_paths(const RunData& run, size_t stage);

/// The settings of a stage that name who is evaluated, and how it is asked.
nlohmann::json subject_settings(const RunData& run, size_t stage);

/// The data that a run's stages begin with: the data set's settings, and which splits.
nlohmann::json data_of(const RunData& run);

/// What must agree for two evaluations to measure the same thing. Of evaluate runs: data, split, rewards and the way of
/// decoding. Of stages: data, what became of it before, and the rest of the settings.
nlohmann::json circumstances(const RunData& run, size_t stage);

/// "Greedy", or "Sampled, temperature 1".
std::string decoding_of(const RunData& run);

}  // namespace compeer::report
