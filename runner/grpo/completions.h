#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

// Input of the GRPO loss: the G completions of one prompt (a group), padded to the length T of the longest. pi(token)
// is the probability of a sampled token under a policy, a language model.

namespace compeer::grpo {

/// The G completions of a prompt as tensors [G, T], padded at the end. `mask` is 0 for padding and for tokens
/// that are excluded from the loss. At these positions the other tensors may hold any value, NaN included.
struct Completions {
  at::Tensor mask;             ///< 1 for tokens in the loss, otherwise 0; same floating type as the other tensors
  at::Tensor log_prob;         ///< log pi(token) under the trained policy, with gradient
  at::Tensor old_log_prob;     ///< log pi(token) under the policy that sampled the tokens
  at::Tensor reference;        ///< log pi(token) under the reference model; undefined without a KL term
  at::Tensor entropy;          ///< entropy of the trained policy at each position, in nats; undefined if unused
  at::Tensor advantage;        ///< one per completion, [G, 1], or one per token, [G, T]
  at::Tensor sampled_entropy;  ///< entropy at the time of sampling, in nats; if undefined, `entropy` is used
};

/// Converts values of the concatenated tokens of all completions, [tokens], to the padded layout of `Completions`.
struct PaddedLayout {
  /// `lengths`: number of tokens of each completion. `type`: floating type of `mask`.
  explicit PaddedLayout(const std::vector<int64_t>& lengths, at::ScalarType type = at::kFloat);
  /// Returns `values` in the padded layout: [tokens] -> [G, T], differentiable. Padding is filled with copies of the
  /// first value.
  at::Tensor to_padded(const at::Tensor& values) const;
  at::Tensor mask;  ///< [G, T]: 1 for tokens, 0 for padding

 private:
  at::Tensor index_;  // [G * T]: index into the concatenated values
};

/// Throws c10::Error if the shapes do not agree or `mask` is not of a floating type. Called by `group_loss`.
void check(const Completions& completions);

/// Sums and means over the positions of each row where `mask` is 1; other values (even NaN) are ignored.
at::Tensor row_sum(const at::Tensor& values, const at::Tensor& mask);   ///< [G, T] -> [G, 1]
at::Tensor row_mean(const at::Tensor& values, const at::Tensor& mask);  ///< [G, T] -> [G, 1]; 0 for an empty row

}  // namespace compeer::grpo
