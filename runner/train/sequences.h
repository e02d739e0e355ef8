#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "compeer/model.h"
#include "rollout/policy.h"
#include "train/scoring.h"

namespace compeer::train {

/// int64 [n] of any integers.
at::Tensor int_tensor(const std::vector<int32_t>& values);
at::Tensor int_tensor(const std::vector<int64_t>& values);

/// A group as one batch: the prompt once, its completions hanging off it. `rows` are the hidden states that predict
/// the completions' tokens, `targets` these tokens, completion after completion.
struct GroupBatch {
  Batch batch;
  at::Tensor rows, targets;
  at::Tensor sampled_log_probs;  ///< float32 [targets]: as recorded when they were drawn
  std::vector<int64_t> lengths;
};
GroupBatch group_batch(const ScoredGroup& group);

/// The log-probability [tokens - first] of every token of a sequence from `first` on, with gradient.
at::Tensor sequence_log_probs(rollout::Policy& policy, const std::vector<int32_t>& tokens, int64_t first);

}  // namespace compeer::train
