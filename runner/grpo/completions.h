#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace compeer::grpo {

/// The G completions of a prompt as tensors [G, T], padded at the end. `mask` is 0 at padded positions, where the other
/// tensors may hold any value, NaN included.
struct Completions {
  at::Tensor mask;             ///< 1 for tokens, 0 for padding; same floating type as the other tensors
  at::Tensor log_prob;         ///< log pi(token) under the trained policy, with gradient
  at::Tensor old_log_prob;     ///< log pi(token) under the policy that sampled the tokens
  at::Tensor reference;        ///< log pi(token) under the reference model; undefined without a KL term
  at::Tensor entropy;          ///< entropy of the trained policy at each position, in nats; undefined if unused
  at::Tensor advantage;        ///< [G, 1], or [G, T] for one advantage per token
  at::Tensor sampled_entropy;  ///< entropy at the time of sampling, in nats; if undefined, `entropy` is used
};

/// Converts values of concatenated completions to the padded layout of `Completions`.
struct PaddedLayout {
  /// `lengths`: number of tokens of each completion. `type`: floating type of `mask`.
  explicit PaddedLayout(const std::vector<int64_t>& lengths, at::ScalarType type = at::kFloat);
  /// [tokens] -> [G, T], differentiable. Padding is filled with copies of the first value.
  at::Tensor to_padded(const at::Tensor& values) const;
  at::Tensor mask;  ///< [G, T]: 1 for tokens, 0 for padding

 private:
  at::Tensor index_;  // [G * T]: index into the concatenated values
};

/// Throws if the shapes do not agree or `mask` is not of a floating type. Called by `group_loss`.
void check(const Completions& completions);

/// Sums and means over the unmasked positions; masked values (even NaN) are ignored.
at::Tensor row_sum(const at::Tensor& values, const at::Tensor& mask);   ///< [G, T] -> [G, 1]
at::Tensor row_mean(const at::Tensor& values, const at::Tensor& mask);  ///< [G, T] -> [G, 1]; 0 for an empty row

}  // namespace compeer::grpo
