#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "compeer/model.h"
#include "rollout/policy.h"
#include "train/batch/step_batch.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// Sequences as one batch, of which what they begin with alike is there once, behind what hangs off it. `rows` are the
/// hidden states that predict the `targets`, sequence after sequence: `lengths` of each.
struct GroupBatch {
  Batch batch;
  at::Tensor rows, targets;
  at::Tensor sampled_log_probs;  ///< float32 [targets]: as recorded when they were drawn; undefined: they weren't
  std::vector<int64_t> lengths;
};

/// A group's completions, with the tokens of each as targets, and last the prompt.
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

/// The lesson of a record: its answer, and earlier answers of the assistant as `Example::learn` asks; with `all`,
/// everything but the first token and what stands for pictures. Throws Error (exit 4) if the chat template formats
/// earlier answers differently from the last one.
Lesson lesson_of(RunPlugins& plugins, const PromptGroup& group, bool all);

/// Lessons, with the tokens to be learned as targets. What neighbours begin with alike is there once if that is
/// `shared_from` tokens or more.
GroupBatch lesson_batch(std::span<const Lesson> lessons, int64_t shared_from = 32);

/// The log-probabilities of the tokens to be learned, with gradient: one forward pass for all lessons.
at::Tensor log_probs(rollout::Policy& policy, std::span<const Lesson> lessons, int64_t shared_from = 32);

}  // namespace compeer::train
