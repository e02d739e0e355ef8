#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "train/batch/prompt_group.h"
#include "train/batch/score_table.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// For each group, one reward for each completion: what advantages are computed from. NaN: no reward.
using Rewards = std::vector<std::vector<double>>;

/// This rank's groups of a step, and what they are worth: one table and one list of rewards for each group.
struct ScoredGroups {
  Groups groups;
  std::vector<ScoreTable> scores;
  Rewards rewards;
};

/// Columns of a ScoreTable.
///
///   reward                    the weighted sum of the rewards
///   rewards/<label>/<part>    what a reward plugin returned; its first part is the reward itself
///   shaped/<label>            the reward after floor, ceiling, cut_off, cosine_length: a term of the sum, not logged
///   reweighted                the reward after reweighting (Eq. 7)
///   <reweighting>/<factor>    what the reweighting computed it from
///   reference_kl              the KL estimate of a completion, where a reference model is asked
std::string reward_column(const RewardTerm& term);                   ///< rewards/<label>/<first part>
std::vector<std::string> shaped_columns(RunPlugins& plugins);        ///< in the order of the rewards
std::vector<std::string> logged_score_columns(RunPlugins& plugins);  ///< less reference_kl

/// A part of a reward, and the factor of that reward in the sum.
struct WeightedPart {
  std::string column;  ///< rewards/<label>/<part>
  double weight = 1;
};
std::vector<WeightedPart> weighted_parts(const std::vector<RewardTerm>& rewards);  ///< of those that have a weight

/// Scores the groups of a step: what every reward says of their completions, and the weighted sum. A reward that has no
/// opinion of a completion is NaN there and left out of its sum (grpo::weighted_sum). Errors begin with "step 3, record
/// a/7"; where a reward throws for one of the completions alone, with "step 3, record a/7, completion 2 (the first is
/// 0)".
///
///   StepScoring scoring(plugins, 3, "train");
///   roll_out(..., [&](const PromptGroup& group) { scoring.begin(group); });   // rewards that wait are at work now
///   const auto tables = scoring.finish(groups, nullptr);                      // all others are asked here
class StepScoring {
 public:
  StepScoring(RunPlugins& plugins, uint64_t step, std::string split);
  ~StepScoring();  ///< stops those who still wait
  StepScoring(const StepScoring&) = delete;
  StepScoring& operator=(const StepScoring&) = delete;

  /// All completions of this group are there.
  void begin(const PromptGroup& group);

  /// A table for each group, all of which were begun if any reward waits. A group whose scores are not finite is an
  /// error, or, with `tell`, told of and left `unscored`.
  using TellNotFinite = std::function<void(const PromptGroup& group, const plugin::NotFinite& error)>;
  std::vector<ScoreTable> finish(const Groups& groups, const TellNotFinite& tell);

 private:
  // A reward that waits, and the groups that it is at.
  struct Waiting;
  Group seen(const PromptGroup& group) const;
  std::vector<plugin::GroupScores> scores_of(size_t term, const Groups& groups);
  ScoreTable table(const PromptGroup& group, const std::vector<plugin::GroupScores>& by_term);

  RunPlugins& plugins_;
  uint64_t step_;
  std::string split_;
  std::vector<std::unique_ptr<Waiting>> waiting_;  // one for each reward; null of those that don't
};

/// Eq. 5-7, or what the spec's reweighting plugin does: the rewards that advantages are computed from. Adds the columns
/// `reweighted` and <reweighting>/<factor>. Completions without a reward are left out, and stay without one. Errors as
/// of `score`.
std::vector<double> reweight(RunPlugins& plugins, uint64_t step, const PromptGroup& group, ScoreTable& scores);

/// NaN in all columns that `score` gives: of a group whose rewards can't be used. `reweight` then gives it no rewards.
ScoreTable unscored(RunPlugins& plugins, const PromptGroup& group);

}  // namespace compeer::train
