#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace compeer::grpo {

/// Completions side by side, padded at the end: [G, T]. Padded places may hold anything; `mask` says what counts.
struct Completions {
  at::Tensor mask;             ///< 1 or 0, of the same floating type as the rest
  at::Tensor log_prob;         ///< log pi(token), of the policy that is trained; with gradient
  at::Tensor old_log_prob;     ///< of the policy that sampled the tokens
  at::Tensor reference;        ///< of the reference model; undefined if no KL term is asked for
  at::Tensor entropy;          ///< of the policy's distribution at each place, in nats; undefined if nothing needs it
  at::Tensor advantage;        ///< [G, 1], or [G, T] where tokens have their own
  at::Tensor sampled_entropy;  ///< when the tokens were drawn; undefined: `entropy`
};

/// Where completions that lie one after another go when they stand side by side.
struct PaddedLayout {
  explicit PaddedLayout(const std::vector<int64_t>& lengths, at::ScalarType type = at::kFloat);
  /// [tokens] -> [G, T], with gradient; padding holds a copy of the first value.
  at::Tensor side_by_side(const at::Tensor& values) const;
  at::Tensor mask;  ///< [G, T]

 private:
  at::Tensor index_;  // [G * T], of the flat values
};

/// Throws if shapes or types do not go together. Called once, at the door.
void check(const Completions& completions);

/// Sums and means over the places that count, whatever the padding holds (NaN included).
at::Tensor row_sum(const at::Tensor& values, const at::Tensor& mask);   ///< [G, T] -> [G, 1]
at::Tensor row_mean(const at::Tensor& values, const at::Tensor& mask);  ///< [G, T] -> [G, 1]; an empty row gives 0

}  // namespace compeer::grpo
