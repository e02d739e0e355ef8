#pragma once
#include <functional>

#include "rollout/policy.h"
#include "train/batch/sequences.h"

namespace compeer::train {

/// Leads the gradients of a group's log-probs and entropies (undefined: none) into its model, some completions after
/// the others: of no more than `most` of their tokens, and at least of one completion, activations are in memory at
/// once. The prompt is computed once, and differentiated last, when all completions have said what it is to blame for.
///
/// Parameters' gradients have the same bits as if the group had been differentiated as a whole: each is one chain of
/// additions over the rows of the group's batch, in which completions come before the prompt. `last` is called before
/// the prompt's, which no other pass follows.
void backward_in_parts(rollout::Policy& policy, const GroupBatch& group, double temperature, int64_t most,
                       const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                       const std::function<void()>& last = nullptr);

}  // namespace compeer::train
