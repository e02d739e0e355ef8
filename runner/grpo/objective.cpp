#include "grpo/objective.h"

#include <ATen/ATen.h>

#include "grpo/masks.h"

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

struct Loss {
  const char* name;
  at::Tensor (*of_tokens)(const Inputs&);
  Average average;
};

constexpr Loss kLosses[] = {
    {"grpo", clipped_of, Average::completion},  {"bnpo", clipped_of, Average::token},
    {"dr_grpo", clipped_of, Average::constant}, {"dapo", clipped_of, Average::token},
    {"luspo", clipped_of, Average::sum},        {"gspo", clipped_of, Average::completion},
    {"cispo", cispo_of, Average::token},        {"sapo", sapo_of, Average::completion},
    {"vespo", vespo_of, Average::token},        {"clip_cov", clip_cov_of, Average::token},
    {"kl_cov", kl_cov_of, Average::token},
};

const Loss& loss_of(const std::string& name) {
  for (const Loss& loss : kLosses) {
    if (name == loss.name) return loss;
  }
  TORCH_CHECK(false, "no loss '", name, "'");
}

}  // namespace

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const Loss& loss : kLosses) names.emplace_back(loss.name);
  return names;
}

GroupLoss group_loss(const Completions& c, const Objective& o, const StepContext& step, const at::Tensor& weight,
                     const at::Tensor& order) {
  check(c);
  const Loss& loss = loss_of(o.loss);
  GroupLoss result;
  result.ratio = ratio(c, o.loss == "gspo" ? Level::sequence : o.level);
  result.per_token = loss.of_tokens({c, result.ratio, o, weight, order});
  if (o.off_policy) result.per_token = result.per_token * near_policy(c, *o.off_policy);
  if (o.only_high_entropy) result.per_token = result.per_token * high_entropy(c, step.entropy_threshold);
  if (weight.defined() && o.loss != "vespo") result.per_token = result.per_token * weight;  // VESPO has it in w
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
  const double least = o.loss == "cispo" ? o.cispo.least : 1.0 - o.clip.low;
  const double most = o.loss == "cispo" ? o.cispo.most : 1.0 + o.clip.high;
  Clipping result;
  result.places = counts.sum().item<double>();
  result.low = count(ratio.lt(least).logical_and(c.advantage.lt(0)));
  result.high = count(ratio.gt(most).logical_and(c.advantage.gt(0)));
  result.furthest = ((ratio.detach() - 1.0).abs() * counts).max().item<double>();
  return result;
}

}  // namespace compeer::grpo
