#pragma once
#include "grpo/completions.h"
#include "grpo/settings.h"

namespace compeer::grpo {

/// Bound of |log r| for Level::sequence_product. exp(20) is 5e8, far outside of any clip range.
inline constexpr double most_log_product = 20.0;

/// Importance ratio of the trained policy to the policy that sampled, differentiable: [G, T] or [G, 1], see Level.
/// Exactly 1 at the first update after a rollout. The log of a product of ratios is clamped to +-`most_log_product`,
/// so that the ratio stays finite; beyond that bound the gradient is 0.
at::Tensor ratio(const Completions& completions, Level level);

/// Losses per token, to be minimized, before averaging. Each function takes the completions and their ratio r ([G, T]
/// or [G, 1]) and returns [G, T] or [G, 1]. A is the advantage. README.md says how to add a loss.

/// Eq. 2:  - min(r A, clip(r, 1 - low, 1 + high) A).  GRPO, BNPO, Dr. GRPO, DAPO, LUSPO and GSPO use it with different
/// levels and averages.
at::Tensor clipped(const Completions& completions, const at::Tensor& ratio, const Clip& clip);

/// CISPO:  - stop_gradient(clamp(r, least, most)) A log pi.  Clamping limits the weight of a token and keeps its
/// gradient.
at::Tensor cispo(const Completions& completions, const at::Tensor& ratio, const Cispo& limits);

/// SAPO (soft gate):  - (4 / t) sigmoid(t (r - 1)) A,  with temperature t by the sign of A.
at::Tensor sapo(const Completions& completions, const at::Tensor& ratio, const Sapo& temperature);

/// phi(w) = exp(lambda) w^k exp(-lambda w), without gradient; phi(1) = 1. [G, 1], or [G, T] with an advantage per
/// token. w is the product of a completion's token ratios, times `correction` if defined (pi_old / pi_sampler, [G, T]
/// or [G, 1]). log w is clamped to [log 1e-8, 20].
at::Tensor vespo_phi(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});
/// VESPO:  - phi(w) A log pi.
at::Tensor vespo(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});

/// Covariance of advantage and log-prob per token: (A - mean A)(log pi - mean log pi), [G, T], without gradient. The
/// means are over all tokens of `completions`. Values at masked positions are meaningless.
at::Tensor covariance(const Completions& completions);

/// Clip-Cov: the clipped loss, except that it is 0, without gradient, for max(1, share x tokens) of the tokens that the
/// clip does not affect and whose covariance is in (low, high), or for all of these if there are fewer. Those with the
/// smallest `order` ([G, T], random numbers) are selected.
at::Tensor clip_cov(const Completions& completions, const at::Tensor& ratio, const Clip& clip, const ClipCov& settings,
                    const at::Tensor& order);

/// KL-Cov:  - r A, plus coefficient |log r| for the max(1, share x tokens) tokens of largest covariance.
at::Tensor kl_cov(const Completions& completions, const at::Tensor& ratio, const KlCov& settings);

/// KL estimate per token. `log_prob` and `reference` have the same shape, which is also the result's; differentiable
/// with respect to both.
at::Tensor kl(const at::Tensor& log_prob, const at::Tensor& reference, Estimator estimator, KlLimits limits = {});

}  // namespace compeer::grpo
