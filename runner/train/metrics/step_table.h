#pragma once
#include <span>
#include <string>
#include <vector>

#include "comm/world.h"
#include "statistics/variety.h"
#include "train/batch/scoring.h"

namespace compeer::train {

/// Whether rewards have no variance. A reward that is NaN (no reward had an opinion) is left out.
bool all_equal(std::span<const double> rewards);

/// The completions of a step over all ranks, in the order of their prompts: what metrics are computed from. Rank 0
/// computes them from this table, so they have the same bits for every number of ranks.
struct StepTable {
  BatchColumns columns;
  std::vector<statistics::Words> words;    ///< of each completion
  std::vector<double> self_similarity;     ///< of each prompt's completions
  std::vector<std::vector<double>> notes;  ///< of each rank

  /// The table on rank 0, an empty one elsewhere. `names`: score columns to gather, besides those of the samples;
  /// `notes`: numbers of this rank. Collective.
  static StepTable gather(comm::World& world, const StepBatch& mine, std::vector<std::string> names,
                          std::span<const double> notes);

  StepTable prompt(int64_t index) const;  ///< one prompt's completions, without notes
  void append(const StepTable& more);     ///< the completions of more prompts, with the same columns

  double largest(size_t note) const;  ///< over the ranks; 0 at least
  double sum(size_t note) const;
  double tokens() const;

  /// Means over all completions: score columns, "length", "truncated", "entropy"; of rewards the deviation over all
  /// completions as "<column>_std"; "group_std", the mean over prompts of the deviation within; "zero_variance"; and of
  /// the texts "distinct_1", "distinct_2", "self_bleu", "self_similarity". Values that are NaN are left out; the mean
  /// of none is NaN.
  std::vector<std::pair<std::string, double>> metrics(const std::vector<std::string>& score_columns) const;

  /// The names of `metrics`.
  static std::vector<std::string> metric_names(const std::vector<std::string>& score_columns);

  /// What decides within a group: the share of the reward's variance that goes along with this part of it, its weight
  /// times covariance over variance, both summed over groups. Shares of parts that add up to the reward add up to 1.
  /// Completions without the part or without a reward are left out; NaN if all groups' rewards are equal.
  double share(const WeightedPart& part) const;
  static std::string share_column(const WeightedPart& part) { return part.column + "_share"; }
};

}  // namespace compeer::train
