#pragma once
#include <span>
#include <string>
#include <vector>

#include "comm/world.h"
#include "statistics/variety.h"
#include "train/batch/scoring.h"

namespace compeer::train {

/// Whether rewards have no variance. A reward that is NaN (nobody had an opinion) is left out.
bool all_equal(const std::vector<double>& rewards);

/// The completions of a step over all ranks, in the order of their groups: what metrics are computed from. Because
/// rank 0 computes them from the same table however many ranks there are, they have the same bits.
struct StepTable {
  struct GroupRows {
    ScoreTable scores{0};
    std::vector<double> rewards;
    std::vector<double> lengths, entropies, finished;
    std::vector<statistics::Words> words;
    double self_similarity = 0;
  };
  std::vector<GroupRows> groups;
  std::vector<std::vector<double>> notes;  ///< of each rank

  /// The table on rank 0, an empty one elsewhere. Meets the other ranks, once. `score_columns`: those to gather;
  /// `notes` are a rank's own numbers.
  static StepTable gather(comm::World& world, const ScoredGroups& mine, const std::vector<std::string>& score_columns,
                          std::span<const double> notes);

  double largest(size_t note) const;  ///< over the ranks; 0 at least
  double sum(size_t note) const;
  double tokens() const;

  /// Means over all completions of the step: score columns, "length", "truncated", "entropy"; of rewards the deviation
  /// over all completions as "<column>_std"; "group_std", the mean over groups of the deviation within;
  /// "zero_variance"; and of the texts "distinct_1", "distinct_2", "self_bleu", "self_similarity". Values that are NaN
  /// are left out; what nothing is left of is NaN.
  std::vector<std::pair<std::string, double>> metrics(const std::vector<std::string>& score_columns) const;

  static std::vector<std::string> columns(const std::vector<std::string>& score_columns);

  /// What decides within a group: the share of the reward's variance that goes along with this part of it, its weight
  /// times covariance over variance, both summed over groups. Shares of parts that add up to the reward add up to 1.
  /// Completions without the part or without a reward are left out; NaN if all groups' rewards are equal.
  double share(const WeightedPart& part) const;
  static std::string share_column(const WeightedPart& part) { return part.column + "_share"; }
};

}  // namespace compeer::train
