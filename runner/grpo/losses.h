#pragma once
#include "grpo/completions.h"
#include "grpo/settings.h"

namespace compeer::grpo {

/// The logarithm of a product of ratios is kept within +-this: exp(20) is 5e8, far outside of any clip.
inline constexpr double most_log_product = 20.0;

/// The ratio of the policy to the one that sampled, with gradient. Exactly 1 at the first update after a rollout. A
/// product is summed up as logarithms and stays a finite number: beyond the limit above it no longer moves, so that it
/// has no gradient there.
at::Tensor ratio(const Completions& completions, Level level);

/// Losses of tokens, before any averaging: what is to be minimised at each place. Each takes the completions and their
/// ratio r ([G, T], or [G, 1] with one ratio for a completion) and gives [G, T] or [G, 1]. A is the advantage.
/// To add one: see the room's README.

/// Eq. 2:  - min(r A, clip(r, 1 - low, 1 + high) A).  GRPO, BNPO, Dr. GRPO, DAPO, LUSPO, GSPO differ in level and
/// average.
at::Tensor clipped(const Completions& completions, const at::Tensor& ratio, const Clip& clip);

/// CISPO:  - stop(clamp(r, least, most)) A log pi.  Every token keeps its gradient, only its weight is limited. The
/// limits are the ratio's own, not distances from 1: some trainers give 1 - low and 1 + high here.
at::Tensor cispo(const Completions& completions, const at::Tensor& ratio, const Cispo& limits);

/// SAPO:  - (4 / t) sigmoid(t (r - 1)) A, a soft gate, with t = positive for A > 0, else negative.
at::Tensor sapo(const Completions& completions, const at::Tensor& ratio, const Sapo& temperature);

/// VESPO:  - phi(w) A log pi, with w the ratio of whole completions (a product, not a mean) and
///   phi(w) = exp(lambda) w^k exp(-lambda w), without gradient, phi(1) = 1.  k and lambda by the sign of A.
/// `correction` [G, T] or [G, 1], or undefined: pi_old / pi_sampler, part of w.
at::Tensor vespo_phi(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});
at::Tensor vespo(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});

/// How log-probs and advantages go together at each place that counts: (A - mean A)(log pi - mean log pi), [G, T],
/// without gradient. The means are over the tokens of these completions.
at::Tensor covariance(const Completions& completions);

/// Clip-Cov: `clipped`, but of the tokens that the clip leaves alone and whose covariance lies in (low, high),
/// max(1, share x tokens) lose their gradient, chosen by `order`, a number for each place (the smallest go first).
at::Tensor clip_cov(const Completions& completions, const at::Tensor& ratio, const Clip& clip, const ClipCov& settings,
                    const at::Tensor& order);

/// KL-Cov: - r A everywhere, and for the max(1, share x tokens) places of largest covariance + coefficient |log r|.
at::Tensor kl_cov(const Completions& completions, const at::Tensor& ratio, const KlCov& settings);

/// log_prob and reference of one shape -> the same shape, with gradient to log_prob.
at::Tensor kl(const at::Tensor& log_prob, const at::Tensor& reference, Estimator estimator, KlLimits limits = {});

}  // namespace compeer::grpo
