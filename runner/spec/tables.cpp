// Names, ranges and help texts of the settings that tables.h declares as structs.
#include "spec/tables.h"

namespace compeer::spec {

SettingFields fields(Sampling& t) {
  return {
      setting("temperature", t.temperature, "sampling temperature, which divides the logits").above(0).to(100),
      setting("greedy", t.greedy, "greedy decoding: always take the most likely token"),
      setting("max_new_tokens", t.max_new_tokens, "maximum length of a completion in tokens").from(1).to(1e6),
      setting("concurrent", t.concurrent, "maximum number of sequences that a rank decodes at the same time").from(1),
      setting("top_k", t.top_k, "sample from the k most likely tokens and those that tie with the last; 0: off")
          .from(0),
      setting("top_p", t.top_p,
              "sample from the smallest set of most likely tokens with this total probability; 1: off")
          .above(0)
          .to(1),
      setting("min_p", t.min_p,
              "sample from tokens with at least this share of the probability of the most likely; 0: off")
          .from(0)
          .to(1),
      setting("repetition_penalty", t.repetition_penalty,
              "values above 1 make tokens that occurred less likely; 1: off")
          .above(0)
          .to(100),
      setting("stop", t.stop, "a completion ends when its text contains one of these"),
  };
}

namespace {

SettingFields size_of(GrpoTable& t) {
  return {
      setting("group_size", t.group_size, "completions of a prompt").from(1),
      setting("batch", t.batch, "prompts of a step, over all ranks").from(1),
      setting("steps", t.steps, "steps of the run").from(1),
      setting("updates", t.updates, "updates of the weights per rollout").from(1),
      setting("resample", t.resample,
              "maximum number of times a prompt whose rewards are all equal after reweighting is replaced by another")
          .from(0)
          .to(1000),
      setting("groups_per_reduction", t.groups_per_reduction,
              "number of prompt groups whose gradients one rank accumulates before the reduction over ranks; larger "
              "values need less memory")
          .from(1),
      setting("micro_tokens", t.micro_tokens,
              "groups with more tokens are backpropagated in parts of about this many tokens; unset: whole groups")
          .from(1)
          .unset(),
      setting("split", t.split, "split of the dataset"),
      setting("lr", t.lr, "learning rate").above(0),
  };
}

SettingFields loss_of(grpo::Objective& o) {
  using grpo::Level;
  SettingField clip = setting("clip", o.clip.low, "clip range of the ratio on both sides of 1 (epsilon)").above(0);
  clip.store = [&o](const json& value) { o.clip.low = o.clip.high = value.get<double>(); };
  return {
      setting("loss", o.loss, "loss function; equations: runner/grpo/README.md")
          .of({"grpo", "bnpo", "dr_grpo", "dapo", "luspo", "gspo", "cispo", "sapo", "vespo", "clip_cov", "kl_cov"}),
      choice("level", o.level,
             {{"token", Level::token}, {"sequence", Level::sequence}, {"sequence_product", Level::sequence_product}},
             "level of the importance ratio: a token, or a completion (mean or product of its tokens' ratios)"),
      clip,
      setting("clip_low", o.clip.low, "clip range below 1; unset: clip").above(0).to(1).unset(),
      setting("clip_high", o.clip.high, "clip range above 1; unset: clip").above(0).unset(),
      setting("delta", o.clip.delta, "upper bound of the ratio where the clip doesn't apply (A < 0); unset: none")
          .above(1)
          .unset(),
      setting("dual_clip", o.clip.dual, "where A < 0, the loss is at most -A times this; unset: no limit")
          .above(1)
          .unset(),
      setting("cispo_min", o.cispo.min, "cispo: lower bound of a token's weight; 0: none").from(0),
      setting("cispo_max", o.cispo.max, "cispo: upper bound of a token's weight").above(0),
      setting("sapo_positive", o.sapo.positive, "sapo: temperature of the gate where A > 0").above(0),
      setting("sapo_negative", o.sapo.negative, "sapo: temperature of the gate where A <= 0").above(0),
      setting("vespo_k_positive", o.vespo.k_positive, "vespo: exponent of the weight where A >= 0").from(0),
      setting("vespo_lambda_positive", o.vespo.lambda_positive, "vespo: decay of the weight where A >= 0").from(0),
      setting("vespo_k_negative", o.vespo.k_negative, "vespo: exponent of the weight where A < 0").from(0),
      setting("vespo_lambda_negative", o.vespo.lambda_negative, "vespo: decay of the weight where A < 0").from(0),
      setting("clip_cov_share", o.clip_cov.share, "clip_cov: share of a group's tokens that lose their gradient")
          .above(0)
          .to(1),
      setting("clip_cov_low", o.clip_cov.low,
              "clip_cov: these tokens are sampled among those with a covariance above this"),
      setting("clip_cov_high", o.clip_cov.high,
              "clip_cov: these tokens are sampled among those with a covariance below this"),
      setting("kl_cov_share", o.kl_cov.share,
              "kl_cov: share of a group's tokens, those of largest covariance, that get a KL penalty")
          .above(0)
          .to(1),
      setting("kl_cov_coefficient", o.kl_cov.coefficient, "kl_cov: coefficient of the KL penalty").from(0),
  };
}

SettingFields restraints_of(GrpoTable& t) {
  using grpo::Estimator;
  grpo::Objective& o = t.objective;
  return {
      setting("beta", o.kl, "coefficient of the KL divergence from the initial model; 0: none").from(0),
      setting("kl_in", t.kl_in, "where the KL term goes: added to the loss, or subtracted from the reward")
          .of({"loss", "reward"}),
      choice("kl_estimator", o.estimator, {{"k1", Estimator::k1}, {"k2", Estimator::k2}, {"k3", Estimator::k3}},
             "estimator of the KL divergence from a sampled token"),
      setting("kl_times_ratio", o.kl_times_ratio,
              "multiply the KL term by the ratio, which makes its gradient unbiased off policy"),
      setting("kl_difference_limit", o.kl_limits.difference,
              "log-ratios to the reference are clamped to +-this; unset: not clamped")
          .above(0)
          .unset(),
      setting("kl_limit", o.kl_limits.estimate, "KL estimates are clamped to +-this; unset: not clamped")
          .above(0)
          .unset(),
      setting("entropy_bonus", o.entropy_bonus, "coefficient of the mean entropy, which is subtracted from the loss")
          .from(0),
      setting("entropy_target", t.entropy_control.target,
              "target entropy: below it the bonus rises, above it the bonus falls; unset: constant bonus")
          .above(0)
          .unset(),
      setting("entropy_step", t.entropy_control.step, "entropy_target: change of the bonus per step").above(0),
      setting("entropy_bonus_max", t.entropy_control.max, "entropy_target: upper bound of entropy_bonus").above(0),
      setting("high_entropy_share", t.high_entropy_share,
              "train only on this share of the step's tokens, those of highest entropy")
          .above(0)
          .to(1),
      setting("off_policy_limit", o.off_policy,
              "completions with A < 0 whose mean log-ratio fell by more than this are masked; unset: none")
          .from(0),
      setting("mask_truncated", t.mask_truncated, "mask truncated completions in the loss"),
  };
}

SettingFields advantages_of(GrpoTable& t) {
  using grpo::Baseline;
  using grpo::Divisor;
  grpo::AdvantageRule& r = t.rule;
  return {
      choice("combine", t.gdpo, {{"sum", false}, {"gdpo", true}},
             "how rewards are combined: their weighted sum, or each normalised within its group first (gdpo)"),
      choice("baseline", r.baseline,
             {{"group", Baseline::group}, {"leave_one_out", Baseline::leave_one_out}, {"none", Baseline::none}},
             "what is subtracted from a reward: the group's mean, the mean of the others, or nothing"),
      choice("divisor", r.divisor,
             {{"std", Divisor::std}, {"batch", Divisor::batch}, {"fixed", Divisor::fixed}, {"none", Divisor::none}},
             "what the difference is divided by: the standard deviation of the group or batch, divisor_value, or 1"),
      setting("divisor_value", r.value, "divisor = fixed: the divisor").above(0),
      setting("divisor_floor", r.floor, "lower bound of the standard deviation").from(0),
      setting("epsilon", r.epsilon, "added to the standard deviation").from(0),
      setting("advantage_min", r.min, "lower bound of advantages; unset: none").to(0).unset(),
      setting("advantage_max", r.max, "upper bound of advantages; unset: none").from(0).unset(),
  };
}

}  // namespace

SettingFields fields(GrpoTable& t) {
  SettingFields all = size_of(t);
  for (const SettingFields& part : {loss_of(t.objective), restraints_of(t), advantages_of(t)})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

SettingFields fields(OptimizerTable& t) {
  return {
      setting("beta1", t.beta1, "decay of the first moment").from(0).below(1),
      setting("beta2", t.beta2, "decay of the second moment").from(0).below(1),
      setting("epsilon", t.epsilon, "added to the square root of the second moment").above(0),
      setting("weight_decay", t.weight_decay, "decoupled weight decay").from(0),
      setting("max_grad_norm", t.max_grad_norm, "gradients are clipped to this norm; 0: off").from(0),
      setting("schedule", t.schedule, "schedule of the learning rate after the warm-up")
          .of({"constant", "cosine", "linear"}),
      setting("warmup", t.warmup, "steps of linear warm-up").from(0),
  };
}

}  // namespace compeer::spec
