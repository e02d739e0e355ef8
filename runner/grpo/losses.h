#pragma once
#include "grpo/completions.h"
#include "grpo/settings.h"

// The importance ratio and the losses per token of GRPO and its variants, for one group: the G completions of a prompt,
// padded to the length T of the longest. pi is the trained policy, pi_old the policy that sampled the completions, A
// the advantage, r the importance ratio pi / pi_old. Eq. 2 is that of the paper PEER (arXiv 2508.09521).

namespace compeer::grpo {

/// Bound of |log r| if r is the product of a completion's token ratios (Level::sequence_product). exp(20) is 5e8, far
/// outside of any clip range.
inline constexpr double most_log_product = 20.0;

/// Returns the importance ratio r, differentiable: [G, T] for one ratio per token, [G, 1] for one per completion.
/// `level`: which of these, and how tokens are combined. Exactly 1 at the first update of the weights after sampling.
/// The log of a product of ratios is clamped to +-`most_log_product`, so that the ratio stays finite; beyond that bound
/// the gradient is 0.
at::Tensor ratio(const Completions& completions, Level level);

// Losses per token, to be minimized, before averaging. Each function takes the completions and their ratio r ([G, T] or
// [G, 1]), and returns [G, T] or [G, 1].

/// Eq. 2:  - min(r A, clip(r, 1 - low, 1 + high) A).  GRPO, BNPO, Dr. GRPO, DAPO, LUSPO and GSPO use it with different
/// levels and averages.
at::Tensor clipped(const Completions& completions, const at::Tensor& ratio, const Clip& clip);

/// CISPO:  - stop_gradient(clamp(r, min, max)) A log pi.  Clamping limits the weight of a token and keeps its
/// gradient.
at::Tensor cispo(const Completions& completions, const at::Tensor& ratio, const Cispo& limits);

/// SAPO (soft gate):  - (4 / t) sigmoid(t (r - 1)) A,  with temperature t by the sign of A.
at::Tensor sapo(const Completions& completions, const at::Tensor& ratio, const Sapo& temperature);

/// Returns the weight of VESPO: phi(w) = exp(lambda) w^k exp(-lambda w), without gradient; phi(1) = 1. [G, 1], or [G,
/// T] with an advantage per token. w is the product of a completion's token ratios, times `correction` if defined
/// (pi_old / pi_sampler, [G, T] or [G, 1]). log w is clamped to [log 1e-8, 20].
at::Tensor vespo_phi(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});
/// VESPO:  - phi(w) A log pi.
at::Tensor vespo(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});

/// Returns the covariance of advantage and log-prob per token: (A - mean A)(log pi - mean log pi), [G, T], without
/// gradient. The means are over all tokens of `completions`. Values at masked positions are meaningless.
at::Tensor covariance(const Completions& completions);

/// Clip-Cov: the clipped loss, except that it is 0, without gradient, for max(1, share x tokens) of the tokens that the
/// clip does not affect and that have a covariance in (low, high), or for all of these if there are fewer. Those with
/// the smallest `order` ([G, T], random numbers) are selected.
at::Tensor clip_cov(const Completions& completions, const at::Tensor& ratio, const Clip& clip, const ClipCov& settings,
                    const at::Tensor& order);

/// KL-Cov:  - r A, plus coefficient |log r| for the max(1, share x tokens) tokens of largest covariance.
at::Tensor kl_cov(const Completions& completions, const at::Tensor& ratio, const KlCov& settings);

/// Returns the estimate of KL(pi || reference model) per token from the sampled tokens. `log_prob` and `reference`:
/// their log-probs under pi and under the reference model, of the same shape, which is also the result's;
/// differentiable with respect to both.
at::Tensor kl(const at::Tensor& log_prob, const at::Tensor& reference, Estimator estimator, KlLimits limits = {});

}  // namespace compeer::grpo
