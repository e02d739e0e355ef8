#pragma once
#include <string>
#include <vector>

#include "comm/world.h"
#include "train/scoring.h"

namespace compeer::train {

/// Whether rewards have no variance. Completions without one (NaN) are left out.
bool all_equal(const std::vector<double>& rewards);

/// The completions of a step over all ranks, in the order of their groups: what metrics are computed from. Because
/// rank 0 computes them from the same table however many ranks there are, they have the same bits.
struct StepTable {
  struct Group {
    std::string example;
    std::vector<std::vector<double>> values;  ///< as ScoredGroup's
    std::vector<double> rewards;
    std::vector<double> lengths, entropies, log_probs, finished;
    std::vector<std::string> texts;
  };
  std::vector<Group> groups;

  /// Collective. The table on rank 0, an empty one elsewhere.
  static StepTable gather(comm::World& world, const std::vector<ScoredGroup>& mine);

  /// Means over all completions of the step, of scores over those that have one: score columns, "length", "truncated",
  /// "entropy", and of the texts "distinct_1" and "distinct_2"; "reward_std", the mean over groups of the deviation
  /// within; "zero_variance".
  std::vector<std::pair<std::string, double>> metrics(const std::vector<std::string>& score_columns) const;

  static std::vector<std::string> columns(const std::vector<std::string>& score_columns);
};

}  // namespace compeer::train
