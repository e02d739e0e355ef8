// Which setting of a spec sets which field. Each value differs from its default, and from every other.
#include "train/grpo_settings.h"

#include <gtest/gtest.h>

#include <set>

#include "spec/core_schema.h"

namespace compeer::train {
namespace {

using nlohmann::json;

json defaults(const std::string& section) {
  json all = json::object();
  for (const auto& field : spec::find_section(section)->parameter.fields) all[field.name] = *field.default_value;
  return all;
}

// `{}` is null.
json with(json all, const json& changes) {
  if (!changes.is_null()) all.update(changes);
  return all;
}

Settings grpo_with(const json& changes) { return Settings(with(defaults("grpo"), changes)); }

GrpoSettings settings_with(const json& grpo, const json& sampling = {}, const json& rewards = {{{"weight", 1.0}}}) {
  return GrpoSettings(Settings({{"grpo", with(defaults("grpo"), grpo)},
                                {"sampling", with(defaults("sampling"), sampling)},
                                {"rewards", rewards}}));
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(GrpoSettings, OfferEveryLossThatThereIs) {
  const auto& fields = spec::find_section("grpo")->parameter.fields;
  EXPECT_EQ(spec::find(fields, "loss")->choices, grpo::loss_names());
}

// Who adds a setting adds a test of it below, and its name here.
TEST(GrpoSettings, AreAllTestedHere) {
  std::set<std::string> names;
  for (const auto& field : spec::find_section("grpo")->parameter.fields) names.insert(field.name);
  EXPECT_EQ(names, (std::set<std::string>{"advantage_least",
                                          "advantage_most",
                                          "baseline",
                                          "batch",
                                          "beta",
                                          "cispo_least",
                                          "cispo_most",
                                          "clip",
                                          "clip_cov_high",
                                          "clip_cov_low",
                                          "clip_cov_share",
                                          "clip_high",
                                          "clip_low",
                                          "combine",
                                          "delta",
                                          "divisor",
                                          "divisor_floor",
                                          "divisor_value",
                                          "dual_clip",
                                          "entropy_bonus",
                                          "entropy_bonus_most",
                                          "entropy_step",
                                          "entropy_target",
                                          "epsilon",
                                          "group_size",
                                          "high_entropy_share",
                                          "kl_cov_coefficient",
                                          "kl_cov_share",
                                          "kl_difference_limit",
                                          "kl_estimator",
                                          "kl_in",
                                          "kl_limit",
                                          "kl_times_ratio",
                                          "level",
                                          "loss",
                                          "lr",
                                          "mask_truncated",
                                          "micro_tokens",
                                          "off_policy_limit",
                                          "resample",
                                          "sapo_negative",
                                          "sapo_positive",
                                          "split",
                                          "steps",
                                          "together",
                                          "updates",
                                          "vespo_k_negative",
                                          "vespo_k_positive",
                                          "vespo_lambda_negative",
                                          "vespo_lambda_positive"}));
}

TEST(GrpoSettings, SayHowLargeAStepIs) {
  const auto s = settings_with({{"group_size", 6},
                                {"batch", 7},
                                {"steps", 9},
                                {"updates", 3},
                                {"resample", 2},
                                {"together", 2},
                                {"micro_tokens", 50},
                                {"split", "valid"},
                                {"lr", 0.25}});
  EXPECT_EQ(s.group_size, 6);
  EXPECT_EQ(s.batch, 7);
  EXPECT_EQ(s.steps, 9);
  EXPECT_EQ(s.updates, 3);
  EXPECT_EQ(s.resample, 2);
  EXPECT_EQ(s.together, 2);
  EXPECT_EQ(s.leaves(), 4);  // 2 + 2 + 2 + 1 groups
  EXPECT_EQ(s.micro_tokens, 50);
  EXPECT_EQ(s.split, "valid");
  EXPECT_EQ(s.lr, 0.25);
  EXPECT_EQ(settings_with({}).micro_tokens, std::numeric_limits<int64_t>::max());
}

TEST(GrpoSettings, TakeTheSamplingOfItsOwnTable) {
  const auto s = settings_with({}, {{"temperature", 0.7},
                                    {"greedy", true},
                                    {"max_new_tokens", 11},
                                    {"concurrent", 12},
                                    {"top_k", 13},
                                    {"top_p", 0.8},
                                    {"min_p", 0.1},
                                    {"repetition_penalty", 1.5}})
                     .sampling;
  EXPECT_EQ(s.temperature, 0.7);
  EXPECT_TRUE(s.greedy);
  EXPECT_EQ(s.max_new_tokens, 11);
  EXPECT_EQ(s.concurrent, 12);
  EXPECT_EQ(s.top_k, 13);
  EXPECT_EQ(s.top_p, 0.8);
  EXPECT_EQ(s.min_p, 0.1);
  EXPECT_EQ(s.repetition_penalty, 1.5);
}

TEST(Objective, IsTheDefaultOfItsFieldsWhereNothingIsSet) {
  const auto o = objective_from(grpo_with({}));
  EXPECT_EQ(o.loss, "grpo");
  EXPECT_EQ(o.level, grpo::Level::token);
  EXPECT_EQ(o.clip.low, 0.2);
  EXPECT_EQ(o.clip.high, 0.2);
  EXPECT_EQ(o.clip.delta, 0);
  EXPECT_EQ(o.clip.dual, 0);
  EXPECT_EQ(o.kl, 0);
  EXPECT_EQ(o.estimator, grpo::Estimator::k3);
  EXPECT_EQ(o.kl_limits.difference, infinity);
  EXPECT_EQ(o.kl_limits.estimate, infinity);
  EXPECT_FALSE(o.kl_times_ratio);
  EXPECT_EQ(o.entropy_bonus, 0);
  EXPECT_FALSE(o.only_high_entropy);
  EXPECT_FALSE(o.off_policy);
}

TEST(Objective, HasItsLossAndLevelByName) {
  for (const auto& name : grpo::loss_names()) EXPECT_EQ(objective_from(grpo_with({{"loss", name}})).loss, name);
  EXPECT_EQ(objective_from(grpo_with({{"level", "sequence"}})).level, grpo::Level::sequence);
  EXPECT_EQ(objective_from(grpo_with({{"level", "sequence_product"}})).level, grpo::Level::sequence_product);
}

TEST(Objective, HasOneClipForBothSidesUnlessASideHasItsOwn) {
  const auto both = objective_from(grpo_with({{"clip", 0.3}})).clip;
  EXPECT_EQ(both.low, 0.3);
  EXPECT_EQ(both.high, 0.3);
  const auto own =
      objective_from(
          grpo_with({{"clip", 0.3}, {"clip_low", 0.1}, {"clip_high", 0.4}, {"delta", 2.5}, {"dual_clip", 3.5}}))
          .clip;
  EXPECT_EQ(own.low, 0.1);
  EXPECT_EQ(own.high, 0.4);
  EXPECT_EQ(own.delta, 2.5);
  EXPECT_EQ(own.dual, 3.5);
  EXPECT_EQ(objective_from(grpo_with({{"clip", 0.3}, {"clip_low", 0.1}})).clip.high, 0.3);
}

TEST(Objective, HasTheSettingsOfEachLoss) {
  const auto o = objective_from(grpo_with({{"cispo_least", 0.5},
                                           {"cispo_most", 6.0},
                                           {"sapo_positive", 1.1},
                                           {"sapo_negative", 1.2},
                                           {"vespo_k_positive", 2.1},
                                           {"vespo_lambda_positive", 2.2},
                                           {"vespo_k_negative", 2.3},
                                           {"vespo_lambda_negative", 2.4},
                                           {"clip_cov_share", 0.31},
                                           {"clip_cov_low", 0.32},
                                           {"clip_cov_high", 0.33},
                                           {"kl_cov_share", 0.41},
                                           {"kl_cov_coefficient", 0.42}}));
  EXPECT_EQ(o.cispo.least, 0.5);
  EXPECT_EQ(o.cispo.most, 6.0);
  EXPECT_EQ(o.sapo.positive, 1.1);
  EXPECT_EQ(o.sapo.negative, 1.2);
  EXPECT_EQ(o.vespo.k_positive, 2.1);
  EXPECT_EQ(o.vespo.lambda_positive, 2.2);
  EXPECT_EQ(o.vespo.k_negative, 2.3);
  EXPECT_EQ(o.vespo.lambda_negative, 2.4);
  EXPECT_EQ(o.clip_cov.share, 0.31);
  EXPECT_EQ(o.clip_cov.low, 0.32);
  EXPECT_EQ(o.clip_cov.high, 0.33);
  EXPECT_EQ(o.kl_cov.share, 0.41);
  EXPECT_EQ(o.kl_cov.coefficient, 0.42);
}

TEST(Objective, HasWhatRestrainsThePolicy) {
  const auto o = objective_from(grpo_with({{"beta", 0.04},
                                           {"kl_estimator", "k1"},
                                           {"kl_times_ratio", true},
                                           {"kl_difference_limit", 5.0},
                                           {"kl_limit", 7.0},
                                           {"entropy_bonus", 0.01},
                                           {"high_entropy_share", 0.2},
                                           {"off_policy_limit", 0.0}}));
  EXPECT_EQ(o.kl, 0.04);
  EXPECT_EQ(o.estimator, grpo::Estimator::k1);
  EXPECT_TRUE(o.kl_times_ratio);
  EXPECT_EQ(o.kl_limits.difference, 5.0);
  EXPECT_EQ(o.kl_limits.estimate, 7.0);
  EXPECT_EQ(o.entropy_bonus, 0.01);
  EXPECT_TRUE(o.only_high_entropy);
  EXPECT_EQ(o.off_policy, 0.0);
}

TEST(GrpoSettings, PutTheKlIntoTheLossOrIntoTheReward) {
  const auto loss = settings_with({{"beta", 0.04}});
  EXPECT_TRUE(loss.reference);
  EXPECT_EQ(loss.objective.kl, 0.04);
  EXPECT_EQ(loss.kl_reward, 0);
  const auto reward = settings_with({{"beta", 0.04}, {"kl_in", "reward"}});
  EXPECT_TRUE(reward.reference);
  EXPECT_EQ(reward.objective.kl, 0);
  EXPECT_EQ(reward.kl_reward, 0.04);
  EXPECT_FALSE(settings_with({}).reference);
}

TEST(GrpoSettings, ChooseTokensAndCompletionsThatCount) {
  const auto s = settings_with({{"high_entropy_share", 0.2}, {"mask_truncated", true}});
  EXPECT_EQ(s.high_entropy_share, 0.2);
  EXPECT_TRUE(s.mask_truncated);
  EXPECT_FALSE(settings_with({}).mask_truncated);
}

TEST(GrpoSettings, AdaptTheEntropyBonusIfThereIsATarget) {
  EXPECT_FALSE(settings_with({{"entropy_step", 0.1}}).entropy_control);
  const auto control =
      settings_with({{"entropy_target", 1.5}, {"entropy_step", 0.1}, {"entropy_bonus_most", 0.3}}).entropy_control;
  ASSERT_TRUE(control);
  EXPECT_EQ(control->target, 1.5);
  EXPECT_EQ(control->step, 0.1);
  EXPECT_EQ(control->most, 0.3);
}

TEST(AdvantageRule, HasTheSettingsOfItsFields) {
  const auto standard = advantage_rule_from(grpo_with({}));
  EXPECT_EQ(standard.baseline, grpo::Baseline::group);
  EXPECT_EQ(standard.divisor, grpo::Divisor::std);
  EXPECT_EQ(standard.epsilon, 1e-6);
  EXPECT_EQ(standard.least, -infinity);
  EXPECT_EQ(standard.most, infinity);
  const auto rule = advantage_rule_from(grpo_with({{"baseline", "leave_one_out"},
                                                   {"divisor", "fixed"},
                                                   {"divisor_value", 2.0},
                                                   {"divisor_floor", 0.5},
                                                   {"epsilon", 1e-4},
                                                   {"advantage_least", -3.0},
                                                   {"advantage_most", 4.0}}));
  EXPECT_EQ(rule.baseline, grpo::Baseline::leave_one_out);
  EXPECT_EQ(rule.divisor, grpo::Divisor::fixed);
  EXPECT_EQ(rule.value, 2.0);
  EXPECT_EQ(rule.floor, 0.5);
  EXPECT_EQ(rule.epsilon, 1e-4);
  EXPECT_EQ(rule.least, -3.0);
  EXPECT_EQ(rule.most, 4.0);
}

TEST(GrpoSettings, CombineRewardsByTheirWeights) {
  const auto s = settings_with({{"combine", "gdpo"}}, {}, {{{"weight", 2.0}}, {{"weight", 0.5}}});
  EXPECT_TRUE(s.gdpo);
  EXPECT_EQ(s.reward_weights, (std::vector<double>{2.0, 0.5}));
  EXPECT_FALSE(settings_with({}).gdpo);
}

}  // namespace
}  // namespace compeer::train
