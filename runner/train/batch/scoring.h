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
std::vector<std::string> logged_score_columns(RunPlugins& plugins);  ///< columns set by StepScoring that runs record

/// A part of a reward, and the weight of that reward in the sum.
struct WeightedPart {
  std::string column;  ///< rewards/LABEL/PART
  double weight = 1;
};
/// Returns the parts of all rewards whose weight is not 0.
std::vector<WeightedPart> weighted_parts(const std::vector<RewardTerm>& rewards);

/// Scores the completions of a step: sets the columns of rewards, their weighted sum and its reweighting (StepBatch).
/// If a reward abstains on a completion, its value is NaN and ignored in the sum (grpo::weighted_sum). Completions
/// without any reward are not passed to the reweighting. Errors begin with "step 3, record a/7", or, if a reward fails
/// for a single completion, with "step 3, record a/7, completion 2 (the first is 0)". Local. Keeps a reference to
/// `plugins`.
///
///   StepScoring scoring(plugins, 3, "train");
///   roll_out(..., [&](const PromptGroup& group) { scoring.begin(group); });   // starts asynchronous rewards
///   scoring.finish(batch, nullptr);                                           // calls all others, sets columns
class StepScoring {
 public:
  StepScoring(RunPlugins& plugins, uint64_t step, std::string split);
  ~StepScoring();  ///< asks asynchronous rewards that are still running to stop, and waits for them
  StepScoring(const StepScoring&) = delete;
  StepScoring& operator=(const StepScoring&) = delete;

  /// To be called when all completions of a group are complete: starts asynchronous rewards (Reward::is_async) for it.
  void begin(const PromptGroup& group);

  /// Sets the columns of `batch`, all of whose groups must have been passed to `begin`. If scores of a group are not
  /// finite, calls `tell` and sets the group's columns to NaN; without `tell`, throws plugin::NotFinite.
  using TellNotFinite = std::function<void(const PromptGroup& group, const plugin::NotFinite& error)>;
  void finish(StepBatch& batch, const TellNotFinite& tell);

 private:
  struct AsyncReward;  // an asynchronous reward and its groups
  // Returns the group in the form that reward plugins receive.
  Group seen(const PromptGroup& group) const;
  // Returns the scores of the `term`-th reward for all groups; waits for them if it is asynchronous.
  std::vector<plugin::GroupScores> scores_of(size_t term, const Groups& groups);
  // Set columns of group `g`: those of one reward from its scores, the weighted sum, and those of the reweighting.
  void set_reward(StepBatch& batch, size_t g, RewardTerm& term, const plugin::GroupScores& given);
  void set_sums(StepBatch& batch, size_t g);
  void reweight(StepBatch& batch, size_t g);

  RunPlugins& plugins_;
  uint64_t step_;
  std::string split_;
  std::vector<std::unique_ptr<AsyncReward>> waiting_;  // one entry per reward; null if the reward is not asynchronous
};

// States of rewards (Reward::state), which are equal on all ranks. These functions do nothing if no reward has a state.

/// Collective. Calls Reward::learn with the notes of all groups of the step, of all ranks, in the order of the groups.
void update_reward_states(comm::World& world, RunPlugins& plugins, const StepBatch& mine);

/// Collective. Writes the states to rewards.json in `folder`, on rank 0. Throws Error (exit 5) if a reward's state
/// differs between ranks.
void save_reward_states(comm::World& world, RunPlugins& plugins, const std::filesystem::path& folder);

/// Local. Restores the states from rewards.json in `folder`. Rewards that are not in the file keep their state.
void load_reward_states(RunPlugins& plugins, const std::filesystem::path& folder);

}  // namespace compeer::train
