#include "train/grpo_settings.h"

#include "train/batch/step_batch.h"

namespace compeer::train {

namespace {

grpo::Clip clip_from(const Settings& table) {
  const double clip = table.number("clip");
  const auto or_else = [&](const char* key, double standard) { return table.has(key) ? table.number(key) : standard; };
  return {or_else("clip_low", clip), or_else("clip_high", clip), or_else("delta", 0.0), or_else("dual_clip", 0.0)};
}

}  // namespace

grpo::Objective objective_from(const Settings& table) {
  grpo::Objective o;
  o.loss = table.text("loss");
  o.level = grpo::level_from(table.text("level"));
  o.clip = clip_from(table);
  o.cispo = {table.number("cispo_least"), table.number("cispo_most")};
  o.sapo = {table.number("sapo_positive"), table.number("sapo_negative")};
  o.vespo = {table.number("vespo_k_positive"), table.number("vespo_lambda_positive"), table.number("vespo_k_negative"),
             table.number("vespo_lambda_negative")};
  o.clip_cov = {table.number("clip_cov_share"), table.number("clip_cov_low"), table.number("clip_cov_high")};
  o.kl_cov = {table.number("kl_cov_share"), table.number("kl_cov_coefficient")};
  if (table.text("kl_in") == "loss") o.kl = table.number("beta");
  o.estimator = grpo::estimator_from(table.text("kl_estimator"));
  o.kl_times_ratio = table.flag("kl_times_ratio");
  if (table.has("kl_difference_limit")) o.kl_limits.difference = table.number("kl_difference_limit");
  if (table.has("kl_limit")) o.kl_limits.estimate = table.number("kl_limit");
  o.entropy_bonus = table.number("entropy_bonus");
  o.only_high_entropy = table.number("high_entropy_share") < 1;
  if (table.has("off_policy_limit")) o.off_policy = table.number("off_policy_limit");
  return o;
}

grpo::AdvantageRule advantage_rule_from(const Settings& table) {
  grpo::AdvantageRule rule;
  rule.baseline = grpo::baseline_from(table.text("baseline"));
  rule.divisor = grpo::divisor_from(table.text("divisor"));
  rule.value = table.number("divisor_value");
  rule.floor = table.number("divisor_floor");
  rule.epsilon = table.number("epsilon");
  if (table.has("advantage_least")) rule.least = table.number("advantage_least");
  if (table.has("advantage_most")) rule.most = table.number("advantage_most");
  return rule;
}

GrpoSettings::GrpoSettings(const Settings& spec) {
  const auto table = spec.table("grpo");
  group_size = table.integer("group_size");
  batch = table.integer("batch");
  steps = table.integer("steps");
  updates = table.integer("updates");
  resample = table.integer("resample");
  together = table.integer("together");
  micro_tokens = table.has("micro_tokens") ? table.integer("micro_tokens") : std::numeric_limits<int64_t>::max();
  split = table.text("split");
  lr = table.number("lr");
  sampling = sampling_from(spec.table("sampling"));
  objective = objective_from(table);
  if (table.has("entropy_target"))
    entropy_control = {table.number("entropy_target"), table.number("entropy_step"),
                       table.number("entropy_bonus_most")};
  high_entropy_share = table.number("high_entropy_share");
  mask_truncated = table.flag("mask_truncated");
  gdpo = table.text("combine") == "gdpo";
  for (const auto& reward : spec.json().at("rewards")) reward_weights.push_back(reward.at("weight").get<double>());
  rule = advantage_rule_from(table);
  reference = table.number("beta") > 0;
  kl_reward = table.text("kl_in") == "reward" ? table.number("beta") : 0.0;
}

PeakMemory GrpoSettings::demand(int64_t leaves, int64_t longest) const {
  const int64_t one = longest + sampling.max_new_tokens, group = longest + group_size * sampling.max_new_tokens;
  const int64_t at_once = std::max(micro_tokens, one);
  return {gradients_of(leaves, together == 1 && group <= at_once), std::min(group, at_once),
          positions_of(leaves * together, longest, group_size, sampling), together == 1};
}

}  // namespace compeer::train
