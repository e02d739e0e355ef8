#pragma once
#include <limits>
#include <string>

#include "grpo/completions.h"

namespace compeer::grpo {

/// What an importance ratio belongs to.
enum class Level {
  token,             ///< r_t = pi(t) / pi_old(t), one for each token: [G, T]
  sequence,          ///< r = exp(mean over tokens of log r_t), one for each completion: [G, 1] (GSPO)
  sequence_product,  ///< r = product over tokens of r_t = pi(o) / pi_old(o): [G, 1]. Eq. 2 as printed
};
Level level_from(const std::string& name);

/// The logarithm of a product of ratios is kept within +-this: exp(20) is 5e8, far outside of any clip.
inline constexpr double most_log_product = 20.0;

/// The ratio of the policy to the one that sampled, with gradient. Exactly 1 at the first update after a rollout. A
/// product is summed up as logarithms and stays a finite number: beyond the limit above it no longer moves, so that it
/// has no gradient there.
at::Tensor ratio(const Completions& completions, Level level);

/// Losses of tokens, before any averaging: what is to be minimised at each place. Each takes the completions and their
/// ratio r ([G, T], or [G, 1] with one ratio for a completion) and gives [G, T] or [G, 1]. A is the advantage.
/// To add one: see the room's README.

/// What the ratio may move to before a token stops pulling; each loss says what it uses.
struct Clip {
  double low = 0.2, high = 0.2;  ///< epsilon in Eq. 2; the range is [1 - low, 1 + high]
  double delta = 0;              ///< > 0: an upper cap on the unclipped ratio too (INTELLECT-2)
  double dual = 0;               ///< > 1: for A < 0 the loss is at most -dual A (dual clip)
};

/// Eq. 2:  - min(r A, clip(r, 1 - low, 1 + high) A).  GRPO, BNPO, Dr. GRPO, DAPO, LUSPO, GSPO differ in level and
/// average.
at::Tensor clipped(const Completions& completions, const at::Tensor& ratio, const Clip& clip);

/// CISPO:  - stop(clamp(r, least, most)) A log pi.  Every token keeps its gradient, only its weight is limited. The
/// limits are the ratio's own, not distances from 1: some trainers give 1 - low and 1 + high here.
struct Cispo {
  double least = 0, most = 5;
};
at::Tensor cispo(const Completions& completions, const at::Tensor& ratio, const Cispo& limits);

/// SAPO:  - (4 / t) sigmoid(t (r - 1)) A, a soft gate, with t = positive for A > 0, else negative.
struct Sapo {
  double positive = 1.0, negative = 1.05;
};
at::Tensor sapo(const Completions& completions, const at::Tensor& ratio, const Sapo& temperature);

/// VESPO:  - phi(w) A log pi, with w the ratio of whole completions (a product, not a mean) and
///   phi(w) = exp(lambda) w^k exp(-lambda w), without gradient, phi(1) = 1.  k and lambda by the sign of A.
/// `correction` [G, T] or [G, 1], or undefined: pi_old / pi_sampler, part of w.
struct Vespo {
  double k_positive = 2.0, lambda_positive = 3.0, k_negative = 3.0, lambda_negative = 2.0;
};
at::Tensor vespo_phi(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});
at::Tensor vespo(const Completions& completions, const Vespo& settings, const at::Tensor& correction = {});

/// How log-probs and advantages go together at each place that counts: (A - mean A)(log pi - mean log pi), [G, T],
/// without gradient. The means are over the tokens of these completions.
at::Tensor covariance(const Completions& completions);

/// Clip-Cov: `clipped`, but of the tokens that the clip leaves alone and whose covariance lies in (low, high),
/// max(1, share x tokens) lose their gradient, chosen by `order`, a number for each place (the smallest go first).
struct ClipCov {
  double share = 2e-4, low = 1.0, high = 5.0;
};
at::Tensor clip_cov(const Completions& completions, const at::Tensor& ratio, const Clip& clip, const ClipCov& settings,
                    const at::Tensor& order);

/// KL-Cov: - r A everywhere, and for the max(1, share x tokens) places of largest covariance + coefficient |log r|.
struct KlCov {
  double share = 2e-3, coefficient = 1.0;
};
at::Tensor kl_cov(const Completions& completions, const at::Tensor& ratio, const KlCov& settings);

/// Estimators of KL(policy || reference) from the sampled token alone, with d = log pi - log pi_ref:
///   k1 = d                   unbiased, of either sign
///   k2 = d^2 / 2             biased, its gradient is that of the KL
///   k3 = exp(-d) + d - 1     unbiased and never negative; its gradient as a loss is not that of the KL
enum class Estimator { k1, k2, k3 };
Estimator estimator_from(const std::string& name);

/// Limits that some trainers put on d and on the estimate; none by default. Beyond them the gradient is 0.
struct KlLimits {
  double difference = std::numeric_limits<double>::infinity();
  double estimate = std::numeric_limits<double>::infinity();
};

/// log_prob and reference of one shape -> the same shape, with gradient to log_prob.
at::Tensor kl(const at::Tensor& log_prob, const at::Tensor& reference, Estimator estimator, KlLimits limits = {});

}  // namespace compeer::grpo
