#pragma once
#include <limits>
#include <optional>
#include <string>

// The settings of the GRPO objective and of its advantages, with their defaults; a run's spec sets them. A group is the
// G completions of one prompt, T the number of tokens of the longest. pi is the probability under the trained policy,
// pi_old under the policy that sampled the completions, pi_ref under the reference model. The importance ratio is r =
// pi / pi_old; A is the advantage. Eq. 2 (the objective) and Eq. 3 (the advantage) are those of the paper PEER (arXiv
// 2508.09521); o is a whole completion.

namespace compeer::grpo {

/// Granularity of the importance ratio r.
enum class Level {
  token,             ///< r_t = pi(t) / pi_old(t), one per token: [G, T]
  sequence,          ///< r = exp(mean over tokens of log r_t), one per completion: [G, 1] (GSPO)
  sequence_product,  ///< r = product over tokens of r_t = pi(o) / pi_old(o): [G, 1] (Eq. 2 as printed)
};

/// Estimators of KL(policy || reference) from the sampled token alone, with d = log pi - log pi_ref:
///   k1 = d                   unbiased, of either sign
///   k2 = d^2 / 2             biased; as a loss, its gradient is that of the KL
///   k3 = exp(-d) + d - 1     unbiased and never negative; as a loss, its gradient is not that of the KL
enum class Estimator { k1, k2, k3 };

/// Clamping of the KL estimate and of d = log pi - log pi_ref, as some trainers do it; none by default. Clamped values
/// have gradient 0.
struct KlLimits {
  double difference = std::numeric_limits<double>::infinity();  ///< bound of |d|
  double estimate = std::numeric_limits<double>::infinity();    ///< bound of |estimate|
};

/// Limits of the importance ratio r. The loss Clip-Cov uses only the range [1 - low, 1 + high].
struct Clip {
  double low = 0.2, high = 0.2;  ///< epsilon in Eq. 2; the range is [1 - low, 1 + high]
  double delta = 0;              ///< > 0: upper bound of the unclipped ratio (two-sided clipping, INTELLECT-2)
  double dual = 0;               ///< > 1: for A < 0 the loss is at most -dual A (dual clip)
};

/// Limits of the CISPO weight, which is r without gradient. They bound the ratio itself, not its distance from 1 (some
/// trainers take 1 - low and 1 + high here).
struct Cispo {
  double min = 0, max = 5;
};

/// Temperatures of the SAPO loss, a sigmoid of r - 1: for A > 0 and for A <= 0.
struct Sapo {
  double positive = 1.0, negative = 1.05;
};

/// Parameters k and lambda of VESPO's weight phi(w) = exp(lambda) w^k exp(-lambda w), for A >= 0 and for A < 0; w is
/// the product of a completion's token ratios.
struct Vespo {
  double k_positive = 2.0, lambda_positive = 3.0, k_negative = 3.0, lambda_negative = 2.0;
};

/// Settings of Clip-Cov, which removes the loss of randomly selected tokens with a high covariance of advantage and
/// log-prob: `share` is the fraction of the tokens to select, (low, high) the open interval of eligible covariances.
struct ClipCov {
  double share = 2e-4, low = 1.0, high = 5.0;
};

/// Settings of KL-Cov, which adds a KL penalty to the tokens with the highest covariance of advantage and log-prob:
/// `share` is the fraction of the tokens to select, `coefficient` the factor of the penalty.
struct KlCov {
  double share = 2e-3, coefficient = 1.0;
};

/// The function to be minimized: a loss per token, the average that belongs to its name, and optional terms.
struct Objective {
  std::string loss = "grpo";   ///< "grpo", "dapo", ...: one of `loss_names()`
  Level level = Level::token;  ///< of the ratio; "gspo" always uses Level::sequence
  // Settings of particular losses.
  Clip clip;  ///< of all losses with a clip range
  Cispo cispo;
  Sapo sapo;
  Vespo vespo;
  ClipCov clip_cov;
  KlCov kl_cov;

  double kl = 0;                        ///< coefficient of the KL term (beta in Eq. 2); 0: no KL term
  Estimator estimator = Estimator::k3;  ///< of the KL
  KlLimits kl_limits;
  bool kl_times_ratio = false;  ///< multiply the KL term by the ratio: corrects the gradient of k3 off policy

  double entropy_bonus = 0;  ///< coefficient of the mean token entropy, which is subtracted from the loss
  /// Completions with A < 0 and a mean over tokens of log pi_old - log pi above this value have no policy loss; unset:
  /// all have one.
  std::optional<double> off_policy;
  /// Exclude tokens with an entropy below StepContext::entropy_threshold from the policy loss and the entropy bonus.
  bool only_high_entropy = false;
};

/// The value subtracted from a reward.
enum class Baseline {
  group,          ///< mean of the group (Eq. 3)
  leave_one_out,  ///< mean of the other rewards of the group
  none,           ///< 0
};

/// The value by which the difference of reward and baseline is divided.
enum class Divisor {
  std,    ///< standard deviation (n - 1) of the group, plus epsilon (Eq. 3)
  batch,  ///< standard deviation (n - 1) of all rewards of the step, plus epsilon
  fixed,  ///< AdvantageRule::value: groups of nearly equal rewards then count less than others
  none,   ///< 1 (Dr. GRPO)
};

/// How advantages follow from rewards: A = (reward - baseline) / divisor, within [min, max].
struct AdvantageRule {
  Baseline baseline = Baseline::group;                    ///< the value subtracted from a reward
  Divisor divisor = Divisor::std;                         ///< the kind of divisor
  double value = 1.0;                                     ///< the divisor, if it is fixed
  double floor = 0.0;                                     ///< lower bound of the divisor, epsilon included
  double epsilon = 1e-6;                                  ///< added to standard deviations
  double min = -std::numeric_limits<double>::infinity();  ///< lower bound of an advantage
  double max = std::numeric_limits<double>::infinity();   ///< upper bound of an advantage
};

/// Controller of the entropy bonus, which keeps the policy's entropy from collapsing: after a rollout with a mean
/// entropy below `target` the bonus rises by `step`, otherwise it falls by `step`, within [0, max].
struct EntropyControl {
  double target = 0;               ///< in nats; 0: the bonus is constant
  double step = 0.005, max = 0.1;  ///< change of the bonus after each rollout; its upper bound
};

}  // namespace compeer::grpo
