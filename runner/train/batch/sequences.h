#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "compeer/model.h"
#include "rollout/policy.h"
#include "train/batch/prompt_group.h"

namespace compeer::train {

/// A group as one batch: its completions, and last the prompt, once, which they hang off. `rows` are the hidden states
/// that predict the completions' tokens, `targets` these tokens, completion after completion.
struct GroupBatch {
  Batch batch;
  at::Tensor rows, targets;
  at::Tensor sampled_log_probs;  ///< float32 [targets]: as recorded when they were drawn
  std::vector<int64_t> lengths;
};
GroupBatch group_batch(const PromptGroup& group);

/// The policy's log-probs and entropies of a group's targets, with gradient: one forward pass.
kernels::TokenLogprobs log_probs(rollout::Policy& policy, const GroupBatch& batch, double temperature);

/// A sequence of which some tokens are to be learned: those of one turn or several.
struct Lesson {
  struct Span {
    int64_t begin, end;
  };
  std::vector<int32_t> tokens;
  std::vector<Span> learned;                               ///< ascending; none begins before 1
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< of the pictures among the tokens, less the last

  /// All from `first` on.
  Lesson(std::vector<int32_t> all, int64_t first);
  Lesson(std::vector<int32_t> all, std::vector<Span> spans, std::shared_ptr<const VisionFeatures> seen = nullptr);
  int64_t targets() const;
};

/// The log-probabilities of the tokens to be learned, lesson after lesson, with gradient: one forward pass for all.
at::Tensor log_probs(rollout::Policy& policy, std::span<const Lesson> lessons);

}  // namespace compeer::train
