#pragma once
#include <filesystem>

#include "comm/world.h"
#include "train/batch/scoring.h"

namespace compeer::train {

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
