#pragma once
#include <functional>
#include <vector>

#include "compeer/settings.h"
#include "train/batch/step_batch.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// Names the random numbers of a step.
struct RngKey {
  uint64_t seed = 0;
  uint32_t step = 0;
  uint32_t before = 0;  ///< number of prompts that were drawn for this step earlier
};

/// Samples every group's completions as the spec's table `sampling` says. What is drawn follows from (seed, step,
/// group, completion, position) alone. `complete`: told of each group whose completions are all there, while others are
/// still being sampled.
using GroupIsComplete = std::function<void(const PromptGroup& group)>;
void roll_out(RunPlugins& plugins, Groups& groups, const Settings& sampling, int64_t group_size, RngKey key,
              const GroupIsComplete& complete);

/// The spec's table `sampling`, less its stop strings, which are the tokenizer's business.
rollout::Sampling sampling_from(const Settings& table);

/// Tokens of the model's room that are kept for completions: what they may take, but no more than half of it.
int64_t room_for_completions(const rollout::Sampling& sampling, int64_t positions);

}  // namespace compeer::train
