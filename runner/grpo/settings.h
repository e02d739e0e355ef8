#pragma once
#include <limits>
#include <optional>
#include <string>

/// The settings of the equations, with their defaults. spec/tables.cpp declares their names, ranges and help texts.
namespace compeer::grpo {

/// Granularity of the importance ratio.
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

/// Clamping of the KL estimate, as some trainers do it; none by default. Clamped values have gradient 0.
struct KlLimits {
  double difference = std::numeric_limits<double>::infinity();  ///< bound of |d|
  double estimate = std::numeric_limits<double>::infinity();    ///< bound of |estimate|
};

/// Limits of the importance ratio. `clip_cov` uses only the range [1 - low, 1 + high].
struct Clip {
  double low = 0.2, high = 0.2;  ///< epsilon in Eq. 2; the range is [1 - low, 1 + high]
  double delta = 0;              ///< > 0: upper bound of the unclipped ratio (two-sided clipping, INTELLECT-2)
  double dual = 0;               ///< > 1: for A < 0 the loss is at most -dual A (dual clip)
};

/// Limits of the CISPO weight. They bound the ratio itself, not its distance from 1 (some trainers take 1 - low and 1 +
/// high here).
struct Cispo {
  double min = 0, max = 5;
};

/// SAPO temperatures for A > 0 and for A <= 0.
struct Sapo {
  double positive = 1.0, negative = 1.05;
};

/// Parameters k and lambda of VESPO's phi, for A >= 0 and for A < 0.
struct Vespo {
  double k_positive = 2.0, lambda_positive = 3.0, k_negative = 3.0, lambda_negative = 2.0;
};

/// Settings of Clip-Cov: fraction of the tokens to select, and the open interval of eligible covariances.
struct ClipCov {
  double share = 2e-4, low = 1.0, high = 5.0;
};

/// Settings of KL-Cov: fraction of the tokens to select, and the factor of their KL penalty.
struct KlCov {
  double share = 2e-3, coefficient = 1.0;
};

/// The function to be minimized: a loss of losses.h with the average that belongs to its name, and optional terms.
struct Objective {
  std::string loss = "grpo";   ///< one of `loss_names()`
  Level level = Level::token;  ///< of the ratio; "gspo" always uses Level::sequence
  Clip clip;
  Cispo cispo;
  Sapo sapo;
  Vespo vespo;
  ClipCov clip_cov;
  KlCov kl_cov;

  double kl = 0;  ///< coefficient of the KL term (beta in Eq. 2); 0: no KL term
  Estimator estimator = Estimator::k3;
  KlLimits kl_limits;
  bool kl_times_ratio = false;  ///< multiply the KL term by the ratio: corrects the gradient of k3 off policy

  double entropy_bonus = 0;          ///< coefficient of the mean token entropy, which is subtracted from the loss
  std::optional<double> off_policy;  ///< threshold of `off_policy_mask`; completions that it masks have no policy loss
  bool only_high_entropy = false;    ///< mask the policy loss of tokens below StepContext::entropy_threshold
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

struct AdvantageRule {
  Baseline baseline = Baseline::group;
  Divisor divisor = Divisor::std;
  double value = 1.0;                                     ///< the divisor, if it is fixed
  double floor = 0.0;                                     ///< lower bound of the divisor, epsilon included
  double epsilon = 1e-6;                                  ///< added to standard deviations
  double min = -std::numeric_limits<double>::infinity();  ///< lower bound of an advantage
  double max = std::numeric_limits<double>::infinity();   ///< upper bound of an advantage
};

/// Controller of the entropy bonus, which keeps the policy's entropy from collapsing: after a rollout whose mean
/// entropy is below `target` the bonus rises by `step`, otherwise it falls by `step`, within [0, max].
struct EntropyControl {
  double target = 0;  ///< in nats; 0: the bonus is constant
  double step = 0.005, max = 0.1;
};

}  // namespace compeer::grpo
