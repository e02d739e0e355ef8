#pragma once
#include <functional>
#include <vector>

#include "compeer/settings.h"
#include "train/batch/scoring.h"

namespace compeer::train {

/// The prompts of this rank's share of a step, encoded: groups first, first + 1, ... with records record_of(group).
std::vector<ScoredGroup> read_prompts(Cast& cast, const std::string& split, int64_t first, int64_t count,
                                      const std::function<int64_t(int64_t)>& record_of);

/// The random numbers of a step.
struct Luck {
  uint64_t seed = 0;
  uint32_t step = 0;
  uint32_t before = 0;  ///< prompts that were drawn for the step before these
};

/// Samples every group's completions as the spec's table `sampling` says. What is drawn follows from (seed, step,
/// group, completion, position) alone.
void roll_out(Cast& cast, std::vector<ScoredGroup>& groups, const Settings& sampling, int64_t group_size, Luck luck);

/// The spec's table `sampling`, less its stop strings, which are the tokenizer's business.
rollout::Sampling sampling_from(const Settings& table);

}  // namespace compeer::train
