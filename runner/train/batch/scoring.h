#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/world.h"
#include "train/batch/step_batch.h"
#include "train/run_plugins.h"

namespace compeer::train {

// Names of columns (StepBatch).
std::string reward_column(const RewardTerm& term);                   ///< rewards/LABEL/FIRST PART
std::vector<std::string> shaped_columns(RunPlugins& plugins);        ///< shaped/LABEL, in the order of the rewards
std::vector<std::string> logged_score_columns(RunPlugins& plugins);  ///< those that StepScoring sets and runs record

/// A part of a reward, and the factor of that reward in the sum.
struct WeightedPart {
  std::string column;  ///< rewards/LABEL/PART
  double weight = 1;
};
std::vector<WeightedPart> weighted_parts(const std::vector<RewardTerm>& rewards);  ///< of those that have a weight

/// Scores the completions of a step: sets the columns of rewards, their weighted sum and its reweighting (StepBatch). A
/// reward that has no opinion of a completion is NaN there and left out of its sum (grpo::weighted_sum); a completion
/// without any reward is not passed to the reweighting. Errors begin with "step 3, record a/7"; where a reward throws
/// for one of the completions alone, with "step 3, record a/7, completion 2 (the first is 0)".
///
///   StepScoring scoring(plugins, 3, "train");
///   roll_out(..., [&](const PromptGroup& group) { scoring.begin(group); });   // rewards that wait are at work now
///   scoring.finish(batch, nullptr);                                           // all others are asked here
class StepScoring {
 public:
  StepScoring(RunPlugins& plugins, uint64_t step, std::string split);
  ~StepScoring();  ///< stops those who still wait
  StepScoring(const StepScoring&) = delete;
  StepScoring& operator=(const StepScoring&) = delete;

  /// All completions of this group are there.
  void begin(const PromptGroup& group);

  /// Sets the columns. All groups were begun, if any reward waits. A group whose scores are not finite is an error, or,
  /// with `tell`, reported to it; its columns are NaN then.
  using TellNotFinite = std::function<void(const PromptGroup& group, const plugin::NotFinite& error)>;
  void finish(StepBatch& batch, const TellNotFinite& tell);

 private:
  // A reward that waits, and the groups that it is at.
  struct Waiting;
  Group seen(const PromptGroup& group) const;
  std::vector<plugin::GroupScores> scores_of(size_t term, const Groups& groups);
  void set_reward(StepBatch& batch, size_t g, RewardTerm& term, const plugin::GroupScores& given);
  void set_sums(StepBatch& batch, size_t g);
  void reweight(StepBatch& batch, size_t g);

  RunPlugins& plugins_;
  uint64_t step_;
  std::string split_;
  std::vector<std::unique_ptr<Waiting>> waiting_;  // one for each reward; null of those that don't
};

/// What rewards learn from what they score (Reward::state), which is the same on all ranks. Without a reward that has a
/// state these do nothing.

/// Gives them what was noted of the step's groups, of all ranks, in the order of the groups. Meets the other ranks.
void teach_rewards(comm::World& world, RunPlugins& plugins, const StepBatch& mine);

/// Writes their states into a checkpoint's folder, on rank 0. Throws Error (exit 5) that names a reward whose state
/// differs between ranks. Meets the other ranks.
void save_reward_states(comm::World& world, RunPlugins& plugins, const std::filesystem::path& folder);

/// Reads them. A checkpoint that has none of a reward is one from before it had any.
void load_reward_states(RunPlugins& plugins, const std::filesystem::path& folder);

}  // namespace compeer::train
