#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grpo/average.h"
#include "grpo/kl.h"
#include "grpo/losses.h"
#include "grpo/ratio.h"

namespace compeer::grpo {

/// What is minimised: a loss of `losses.h` averaged as its name says, and what may be added to it.
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
  bool kl_times_ratio = false;  ///< makes the gradient of k3 the right one off policy

  double entropy_bonus = 0;          ///< factor of the mean entropy, which is taken off the loss
  std::optional<double> off_policy;  ///< completions with A < 0 that moved further do not count
  bool only_high_entropy = false;    ///< tokens below StepContext::entropy_threshold do not count
};

/// The names of losses, in the order of the documentation.
std::vector<std::string> loss_names();

/// What all groups of a step share.
struct StepContext {
  StepSize size;
  double entropy_threshold = 0;  ///< see `masks.h`
  double bonus_tokens = 0;       ///< tokens that the entropy bonus is a mean of
};

/// One group's part of the loss of the step: the parts of all groups add up to it.
struct GroupLoss {
  at::Tensor value;      ///< scalar, with gradient
  at::Tensor per_token;  ///< [G, T] or [G, 1]: masks and KL included, before any averaging
  at::Tensor ratio;      ///< [G, T] or [G, 1]
  at::Tensor kl;         ///< [G, T]; undefined without a KL term
};

/// `weight` (or undefined) multiplies the policy's part of the loss: see `correction.h`. `order` is Clip-Cov's.
GroupLoss group_loss(const Completions& completions, const Objective& objective, const StepContext& step,
                     const at::Tensor& weight = {}, const at::Tensor& order = {});

/// How far the ratios of a group are cut: sums, so that groups add up.
struct Clipping {
  double places = 0;         ///< tokens, or completions if the ratio belongs to them
  double low = 0, high = 0;  ///< places past the lower end with A < 0, past the upper end with A > 0
  double furthest = 0;       ///< largest |ratio - 1|; exactly 0 at the first update (a maximum, not a sum)
};
Clipping clipping(const Completions& completions, const at::Tensor& ratio, const Objective& objective);

}  // namespace compeer::grpo
