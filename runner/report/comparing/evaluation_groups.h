#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Evaluations that may be compared: the same data, rewards and way of decoding.
struct EvaluationGroup {
  std::string heading;       ///< "Sampled, temperature 1", "Greedy"
  std::vector<size_t> runs;  ///< places in the list of runs; the baseline first
  std::vector<std::string> labels;
};

/// The groups of all evaluate runs. The baseline of a group is the evaluation of the model that the others' training
/// started from; without one, the first given.
std::vector<EvaluationGroup> evaluation_groups(const std::vector<RunData>& runs, const Lineage& lineage);

/// "Greedy", or "Sampled, temperature 1".
std::string decoding_of(const RunData& run);

/// A trained model, and the model its training started from, both evaluated. Numbers are places in the list of runs.
struct Comparison {
  size_t before, after;
  std::string label_before, label_after;
};

/// All of a group. Where no run is known to have started from another's model, every run is compared with the first.
std::vector<Comparison> comparisons(const std::vector<RunData>& runs, const Lineage& lineage,
                                    const EvaluationGroup& group);

/// The few metrics that findings and plots are about: the reward parts called "quality" (else the reward), similarity
/// in the group and to the history, distinct-2. Only those the runs have, and in which they differ at all.
std::vector<Metric> headline(const std::vector<const RunData*>& runs);

/// Which of these are best: the one with the best mean and all that can't be told from it. None if the direction is
/// unknown, or if nothing can be told apart.
std::vector<bool> best(const std::vector<const RunData*>& runs, const Metric& metric);

}  // namespace compeer::report
