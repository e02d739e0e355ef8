#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "compeer/model.h"
#include "rollout/policy.h"
#include "train/batch/step_batch.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// Sequences packed into one batch, with a common prefix stored once, after the sequences that continue it. `rows[i]`
/// is the row of the hidden state that predicts token `targets[i]`; both are concatenated over sequences, `lengths[s]`
/// entries for sequence s.
struct PackedBatch {
  Batch batch;
  at::Tensor rows, targets;      ///< int64 [targets]
  at::Tensor sampled_log_probs;  ///< float32 [targets]: log-probs at the time of sampling; undefined if not sampled
  std::vector<int64_t> lengths;  ///< number of targets of each sequence
};

/// Packs a group: its completions, all of whose tokens are targets, followed by their common prompt.
PackedBatch group_batch(const PromptGroup& group);

/// Computes the policy's log-probs and entropies of a group's targets in one forward pass, with gradient.
kernels::TokenLogprobs log_probs(rollout::Policy& policy, const PackedBatch& batch, double temperature);

/// A supervised training sequence, whose loss covers only some of its tokens.
struct TrainingSequence {
  struct Span {
    int64_t begin, end;  ///< token indices [begin, end)
  };
  std::vector<int32_t> tokens;
  std::vector<Span> target_spans;                          ///< spans of target tokens, ascending; begin >= 1
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< features of images in all tokens but the last, or null

  /// A sequence whose targets are the tokens from index `first` on.
  TrainingSequence(std::vector<int32_t> all, int64_t first);
  TrainingSequence(std::vector<int32_t> all, std::vector<Span> spans,
                   std::shared_ptr<const VisionFeatures> seen = nullptr);
  int64_t targets() const;  ///< number of target tokens
};

/// Makes the training sequence of a record: prompt and answer. Targets are the tokens of the answer and of the earlier
/// answers that `Example::target_turns` includes, or, if `all`, all tokens but the first and image placeholders. Throws
/// Error (exit 4) if the chat template formats earlier answers differently from the last one.
TrainingSequence make_training_sequence(RunPlugins& plugins, const PromptGroup& group, bool all);

/// Packs sequences into one batch. A prefix that consecutive sequences without images share is stored once if it has at
/// least `min_shared_prefix` tokens.
PackedBatch pack_sequences(std::span<const TrainingSequence> lessons, int64_t min_shared_prefix = 32);

/// Computes the log-probs of all target tokens in one forward pass, with gradient: float32 [targets].
at::Tensor log_probs(rollout::Policy& policy, std::span<const TrainingSequence> lessons,
                     int64_t min_shared_prefix = 32);

}  // namespace compeer::train
