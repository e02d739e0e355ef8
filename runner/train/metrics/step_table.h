#pragma once
#include <span>
#include <string>
#include <vector>

#include "comm/world.h"
#include "statistics/variety.h"
#include "train/batch/scoring.h"
#include "train/metrics/metric_row.h"

// The metrics of a step that describe its completions: statistics of their rewards, lengths and variety. G is the
// number of completions per prompt; a group is the completions of one prompt. Columns are numbers per completion by
// name (BatchColumns), NaN if missing: "reward" is the weighted sum of rewards, "learned" the final reward after
// reweighting and, if so set, a KL term. Advantages are computed from it.

namespace compeer::train {

/// Returns true if all rewards that are not NaN are exactly equal, also if there are none.
bool all_equal(std::span<const double> rewards);

/// The completions of a step over all ranks, in the order of their prompts. Rank 0 computes the metrics of a step from
/// this table, so metrics have the same bits for every number of ranks.
struct StepTable {
  BatchColumns columns;                          ///< [prompts of the step, G]
  std::vector<statistics::Words> words;          ///< [prompt * G + completion]: hashed words of the completion
  std::vector<double> self_similarity;           ///< [prompt]: mean similarity of its completions; NaN for a single one
  std::vector<std::vector<double>> rank_values;  ///< [rank][i]: the i-th value that the rank passed to `gather`

  /// Collective. Gathers the table on rank 0; other ranks get an empty one. `mine`: the completions of this rank. The
  /// table's columns are `names`, "length", "entropy", "finished" and "learned". `values`: any numbers of this rank,
  /// such as its peak memory, for `rank_values`; equally many on every rank.
  static StepTable gather(comm::World& world, const StepBatch& mine, std::vector<std::string> names,
                          std::span<const double> values);

  StepTable prompt(int64_t index) const;  ///< table of the completions of one prompt of the step, without rank_values
  void append(const StepTable& more);     ///< adds the prompts of `more`; an empty table takes its columns

  double largest(size_t i) const;  ///< maximum over ranks of rank_values[rank][i], at least 0
  double sum(size_t i) const;      ///< sum over ranks of rank_values[rank][i]
  double tokens() const;           ///< number of sampled tokens: sum of "length"

  /// Returns names and values of the metrics of all completions, in the order of `metric_names`. `score_columns`: the
  /// columns of rewards and reweighting. NaN values are ignored; the mean of none is NaN. Standard deviations divide by
  /// n - 1.
  ///
  ///   COLUMN          mean of each score column
  ///   COLUMN_std      standard deviation over completions, of "reward" and "rewards/..." only
  ///   group_std       mean over prompts of the standard deviation of "learned" within the group
  ///   zero_variance   share of prompts whose "learned" values are all equal
  ///   length          mean number of tokens
  ///   truncated       share of completions that are not finished
  ///   entropy         mean over completions of the mean entropy of their tokens, in nats
  ///   distinct_1      number of different words, divided by the number of words
  ///   distinct_2      the same for pairs of adjacent words
  ///   self_bleu       mean over completions of BLEU-4 with all others as references
  ///   self_similarity mean over prompts of the similarity of their completions
  std::vector<std::pair<std::string, double>> metrics(const std::vector<std::string>& score_columns) const;
  /// Names of the metrics, in the order of `metrics`.
  static std::vector<std::string> metric_names(const std::vector<std::string>& score_columns);

  /// Returns weight * covariance(part, "reward") / variance("reward"), both within groups and summed over groups: the
  /// share of the reward's variance that this part explains. It can be negative or above 1. Completions where either is
  /// NaN are ignored; NaN if the rewards of every group are equal. Shares of parts that add up to "reward" add up to 1.
  double variance_share(const WeightedPart& part) const;
  /// Name of the metric with the variance share.
  static std::string share_column(const WeightedPart& part) { return part.column + "_share"; }
};

/// Sets the metrics "advantage_mean", "advantage_std" and "advantage_abs" (mean absolute value) in `row`. `advantages`:
/// float64 [prompts of the step, G].
void record_advantages(const at::Tensor& advantages, MetricRow& row);

}  // namespace compeer::train
