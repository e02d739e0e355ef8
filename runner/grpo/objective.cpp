// The objective of a step: the table of losses and their averages, the masks, the KL term and the entropy bonus.
#include "grpo/objective.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "grpo/functions.h"

namespace compeer::grpo {

namespace {

struct Inputs {
  const Completions& completions;
  const at::Tensor& ratio;
  const Objective& objective;
  const at::Tensor& weight;
  const at::Tensor& order;
};

at::Tensor clipped_of(const Inputs& i) { return clipped(i.completions, i.ratio, i.objective.clip); }
at::Tensor cispo_of(const Inputs& i) { return cispo(i.completions, i.ratio, i.objective.cispo); }
at::Tensor sapo_of(const Inputs& i) { return sapo(i.completions, i.ratio, i.objective.sapo); }
at::Tensor vespo_of(const Inputs& i) { return vespo(i.completions, i.objective.vespo, i.weight); }
at::Tensor clip_cov_of(const Inputs& i) {
  return clip_cov(i.completions, i.ratio, i.objective.clip, i.objective.clip_cov, i.order);
}
at::Tensor kl_cov_of(const Inputs& i) { return kl_cov(i.completions, i.ratio, i.objective.kl_cov); }

// The limits with which a loss clips ratios.
enum class Clips { range, cispo, none };

struct Loss {
  const char* name;
  at::Tensor (*of_tokens)(const Inputs&);
  Average average;
  Clips clips = Clips::range;
};

constexpr Loss losses[] = {
    {"grpo", clipped_of, Average::completion},
    {"bnpo", clipped_of, Average::token},
    {"dr_grpo", clipped_of, Average::constant},
    {"dapo", clipped_of, Average::token},
    {"luspo", clipped_of, Average::sum},
    {"gspo", clipped_of, Average::completion},
    {"cispo", cispo_of, Average::token, Clips::cispo},
    {"sapo", sapo_of, Average::completion, Clips::none},
    {"vespo", vespo_of, Average::token, Clips::none},
    {"clip_cov", clip_cov_of, Average::token},
    {"kl_cov", kl_cov_of, Average::token, Clips::none},
};

const Loss& loss_of(const std::string& name) {
  for (const Loss& loss : losses) {
    if (name == loss.name) return loss;
  }
  TORCH_CHECK(false, "no loss '", name, "'");
}

}  // namespace

at::Tensor weights(Average average, const at::Tensor& mask, const StepSize& step) {
  switch (average) {
    case Average::completion:
      return mask / mask.sum(1, true).clamp_min(1.0) / step.completions;
    case Average::token:
      return mask / std::max(step.tokens, 1.0);
    case Average::constant:
      return mask / (step.completions * step.max_new_tokens);
    case Average::sum:
      return mask / step.completions;
  }
  TORCH_CHECK(false, "no such average");
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const Loss& loss : losses) names.emplace_back(loss.name);
  return names;
}

GroupLoss group_loss(const Completions& c, const Objective& o, const StepContext& step, const at::Tensor& weight,
                     const at::Tensor& order) {
  check(c);
  const Loss& loss = loss_of(o.loss);
  GroupLoss result;
  result.ratio = ratio(c, o.loss == "gspo" ? Level::sequence : o.level);
  result.per_token = loss.of_tokens({c, result.ratio, o, weight, order});
  if (o.off_policy) result.per_token = result.per_token * off_policy_mask(c, *o.off_policy);
  if (o.only_high_entropy) result.per_token = result.per_token * high_entropy(c, step.entropy_threshold);
  if (weight.defined() && o.loss != "vespo") result.per_token = result.per_token * weight;  // VESPO includes it in w
  if (o.kl != 0) {
    result.kl = kl(c.log_prob, c.reference, o.estimator, o.kl_limits);
    if (o.kl_times_ratio) result.kl = result.kl * result.ratio;
    result.per_token = result.per_token + o.kl * result.kl;
  }
  const auto placed = result.per_token.expand_as(c.mask).masked_fill(c.mask.eq(0), 0.0);
  result.value = (placed * weights(loss.average, c.mask, step.size)).sum();
  if (o.entropy_bonus != 0) {
    const auto places = o.only_high_entropy ? high_entropy(c, step.entropy_threshold) : c.mask;
    const auto sum = c.entropy.masked_fill(places.eq(0), 0.0).sum();
    result.value = result.value - o.entropy_bonus * sum / std::max(step.bonus_tokens, 1.0);
  }
  return result;
}

Clipping clipping(const Completions& c, const at::Tensor& ratio, const Objective& o) {
  const bool whole = ratio.size(1) == 1 && c.mask.size(1) != 1;
  const auto counts = whole ? at::ones_like(ratio) : c.mask.expand_as(ratio);
  const auto count = [&](const at::Tensor& where) { return (where * counts).sum().item<double>(); };
  Clipping result;
  result.ratios = counts.sum().item<double>();
  if (const Clips clips = loss_of(o.loss).clips; clips != Clips::none) {
    const double least = clips == Clips::cispo ? o.cispo.min : 1.0 - o.clip.low;
    const double most = clips == Clips::cispo ? o.cispo.max : 1.0 + o.clip.high;
    result.low = count(ratio.lt(least).logical_and(c.advantage.lt(0)));
    result.high = count(ratio.gt(most).logical_and(c.advantage.gt(0)));
  }
  result.max_distance = ((ratio.detach() - 1.0).abs() * counts).max().item<double>();
  return result;
}

double entropy_threshold(std::vector<double> entropies, double share) {
  TORCH_CHECK(share >= 0 && share <= 1, "a share of tokens lies in [0, 1]");
  if (entropies.empty()) return std::numeric_limits<double>::infinity();
  std::sort(entropies.begin(), entropies.end());
  const double place = (1.0 - share) * static_cast<double>(entropies.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const auto above = std::min(below + 1, entropies.size() - 1);
  return entropies[below] + (place - std::floor(place)) * (entropies[above] - entropies[below]);
}

at::Tensor high_entropy(const Completions& c, double threshold) {
  const auto& entropy = c.sampled_entropy.defined() ? c.sampled_entropy : c.entropy;
  return entropy.detach().ge(threshold).to(c.mask.scalar_type()) * c.mask;
}

at::Tensor off_policy_mask(const Completions& c, double threshold) {
  const auto moved = row_mean((c.old_log_prob - c.log_prob).detach(), c.mask);
  return c.advantage.ge(0).logical_or(moved.le(threshold)).to(c.mask.scalar_type());
}

at::Tensor correction(const Completions& c, const at::Tensor& sampler_log_prob, const Correction& settings) {
  const auto difference = (c.old_log_prob - sampler_log_prob).detach().masked_fill(c.mask.eq(0), 0.0);
  const auto weight = exact_exp(settings.sequence ? difference.sum(1, true) : difference);
  if (!settings.drop) return weight.clamp(settings.min, settings.max);
  return weight.masked_fill(weight.lt(settings.min).logical_or(weight.gt(settings.max)), 0.0);
}

double next_entropy_bonus(double bonus, double entropy, const EntropyControl& control) {
  return std::clamp(entropy < control.target ? bonus + control.step : bonus - control.step, 0.0, control.max);
}

}  // namespace compeer::grpo
