#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "rollout/policy.h"
#include "rollout/sampling.h"

namespace compeer::rollout {

struct Prompt {
  uint32_t index = 0;  ///< of the group within the step, over all ranks
  std::vector<int32_t> tokens;
};

struct Sample {
  std::vector<int32_t> tokens;  ///< the end token included
  std::vector<float> log_probs, entropies;
  bool finished = false;  ///< false if cut off at the length limit
};

struct Request {
  Sampling sampling;
  int64_t group_size = 1;
  int32_t end_token = 0;
  uint64_t seed = 0;
  uint32_t step = 0;
  std::function<void()> progress = [] {};  ///< called after each decoded token
};

/// group_size completions of each prompt. A prompt is computed once; its completions share its pages and copy only
/// the last, half-filled one. Log-probs are bit for bit those of a training forward pass over the same tokens, and
/// a completion does not depend on what else is decoded with it.
std::vector<std::vector<Sample>> generate(Policy& policy, const std::vector<Prompt>& prompts, const Request& request);

}  // namespace compeer::rollout
