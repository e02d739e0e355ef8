#pragma once
#include <limits>
#include <optional>
#include <string>

/// The settings of the equations, with their defaults. spec/tables.cpp declares their names, ranges and help texts.
namespace compeer::grpo {

/// What an importance ratio belongs to.
enum class Level {
  token,             ///< r_t = pi(t) / pi_old(t), one for each token: [G, T]
  sequence,          ///< r = exp(mean over tokens of log r_t), one for each completion: [G, 1] (GSPO)
  sequence_product,  ///< r = product over tokens of r_t = pi(o) / pi_old(o): [G, 1]. Eq. 2 as printed
};

/// Estimators of KL(policy || reference) from the sampled token alone, with d = log pi - log pi_ref:
///   k1 = d                   unbiased, of either sign
///   k2 = d^2 / 2             biased, its gradient is that of the KL
///   k3 = exp(-d) + d - 1     unbiased and never negative; its gradient as a loss is not that of the KL
enum class Estimator { k1, k2, k3 };

/// Limits that some trainers put on d and on the estimate; none by default. Beyond them the gradient is 0.
struct KlLimits {
  double difference = std::numeric_limits<double>::infinity();
  double estimate = std::numeric_limits<double>::infinity();
};

/// Range of the ratio in which a token has a gradient; each loss documents what it uses.
struct Clip {
  double low = 0.2, high = 0.2;  ///< epsilon in Eq. 2; the range is [1 - low, 1 + high]
  double delta = 0;              ///< > 0: an upper bound of the unclipped ratio, too (INTELLECT-2)
  double dual = 0;               ///< > 1: for A < 0 the loss is at most -dual A (dual clip)
};

struct Cispo {
  double least = 0, most = 5;
};
struct Sapo {
  double positive = 1.0, negative = 1.05;
};
struct Vespo {
  double k_positive = 2.0, lambda_positive = 3.0, k_negative = 3.0, lambda_negative = 2.0;
};
struct ClipCov {
  double share = 2e-4, low = 1.0, high = 5.0;
};
struct KlCov {
  double share = 2e-3, coefficient = 1.0;
};

/// What is minimised: a loss of `losses.h` averaged as its name says, and the terms that are added to it.
struct Objective {
  std::string loss = "grpo";  ///< one of `loss_names()`
  Level level = Level::token;
  Clip clip;
  Cispo cispo;
  Sapo sapo;
  Vespo vespo;
  ClipCov clip_cov;
  KlCov kl_cov;

  double kl = 0;  ///< factor of the KL term (beta in Eq. 2); 0: none
  Estimator estimator = Estimator::k3;
  KlLimits kl_limits;
  bool kl_times_ratio = false;  ///< makes the gradient of k3 unbiased off policy

  double entropy_bonus = 0;          ///< factor of the mean entropy, which is subtracted from the loss
  std::optional<double> off_policy;  ///< completions with A < 0 whose log-ratio fell by more are masked
  bool only_high_entropy = false;    ///< tokens below StepContext::entropy_threshold are masked
};

/// What is subtracted from a reward.
enum class Baseline {
  group,          ///< the mean of its group (Eq. 3)
  leave_one_out,  ///< the mean of the others in its group
  none,           ///< nothing
};

/// What the difference is divided by.
enum class Divisor {
  std,    ///< the standard deviation (n - 1) of its group, plus epsilon: Eq. 3
  batch,  ///< the standard deviation of all rewards of the step, plus epsilon
  fixed,  ///< a constant: keeps groups of nearly equal rewards from counting as much as others
  none,   ///< nothing (Dr. GRPO)
};

struct AdvantageRule {
  Baseline baseline = Baseline::group;
  Divisor divisor = Divisor::std;
  double value = 1.0;                                       ///< the divisor if it is fixed
  double floor = 0.0;                                       ///< lower bound of a divisor
  double epsilon = 1e-6;                                    ///< added to a standard deviation
  double least = -std::numeric_limits<double>::infinity();  ///< advantages are clamped to [least, most]
  double most = std::numeric_limits<double>::infinity();
};

/// Adapts the entropy bonus: after a rollout whose mean entropy is below `target` it rises by `step`, else it falls by
/// `step`, within [0, most].
struct EntropyControl {
  double target = 0;  ///< in nats; 0: the bonus is constant
  double step = 0.005, most = 0.1;
};

}  // namespace compeer::grpo
