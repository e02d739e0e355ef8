#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/comparing/compare.h"
#include "report/comparing/lineage.h"
#include "report/runs/figures.h"
#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// An evaluation measures a model or a judge. It is an evaluate run as a whole, whose figures are those of its summary,
/// or a stage of a data run whose findings hold figures: a model in dialogues (`sage`, `esc_eval`), a judge
/// (`reward_accuracy`).
struct Evaluation {
  size_t run;           ///< place in the list of runs
  size_t stage;         ///< 0: the run as a whole
  nlohmann::json test;  ///< its circumstances, seeds included: what two candidates went through alike
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
  std::string particulars = "";          ///< how it differs from other groups of its plugin; "" if there are none
  std::vector<Metric> columns{};         ///< of stages the figures of the paper's table, in its order; may be empty
  std::vector<Metric> headline{};        ///< what sentences and plots are about, the one that ranks candidates first
  std::map<std::string, Better> ways{};  ///< of stages which way is better, by the names of figures
  std::vector<Candidate> candidates{};   ///< the baseline first

  /// What a figure is called, and which way is better.
  Metric metric(const std::string& path) const;
};

/// Whether runs that differ in their seeds alone are candidates of their own, or one.
enum class Seeds { apart, together };

/// The groups of all evaluate runs, sampled ones before greedy ones. Apart, the baseline of a group is the evaluation
/// of the model that the others' training started from; without one, the first given.
std::vector<EvaluationGroup> run_evaluations(const std::vector<RunData>& runs, const Lineage& lineage, Seeds seeds);

/// The groups of all stages that measure something. What was done twice, under two names, with the same outcome, is no
/// second sample: the first counts.
std::vector<EvaluationGroup> stage_evaluations(const std::vector<RunData>& runs, const Lineage& lineage, Seeds seeds);

/// What groups are called in headings, by how their circumstances differ; candidates in tables and, shorter, in plots.
void name_groups(const std::vector<RunData>& runs, std::vector<EvaluationGroup>& groups);
void name_candidates(const std::vector<RunData>& runs, const Lineage& lineage, EvaluationGroup& group);

/// A figure of one candidate: its own interval, or of several evaluations their mean with a t interval over them.
Interval figure_of(const std::vector<RunData>& runs, const Candidate& candidate, const std::string& path);

/// One of each candidate of a group, and how they stand to each other.
std::vector<Interval> figures(const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& path);
std::vector<Standing> standings(const std::vector<RunData>& runs, const EvaluationGroup& group,
                                const std::string& path);

/// b - a. Of two evaluate runs prompt by prompt (compare.h). Where both went through the same tests, two at least, test
/// by test with a t interval, so that what a seed's world adds to both falls out; else of independent means.
MeanDifference difference(const std::vector<RunData>& runs, const Candidate& a, const Candidate& b,
                          const std::string& path);

/// A trained model, and the model its training started from, both evaluated: places among a group's candidates.
struct BeforeAfter {
  size_t before, after;
};

/// All of a group of evaluate runs. Where no run is known to have started from another's model, every run is compared
/// with the first.
std::vector<BeforeAfter> comparisons(const std::vector<RunData>& runs, const Lineage& lineage,
                                     const EvaluationGroup& group);

}  // namespace compeer::report
