#include "train/grpo_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "grpo/objective.h"

namespace compeer::train {
namespace {

using nlohmann::json;

GrpoSettings with(const json& grpo, const json& rewards = json::array({{{"weight", 1.0}}})) {
  return GrpoSettings(Settings({{"grpo", grpo}, {"sampling", json::object()}, {"rewards", rewards}}));
}

// Returns a valid value of a setting that is not its default.
json another_value(const spec::SettingField& field) {
  if (!field.choices.empty())
    return field.choices.back() == *field.default_value ? field.choices[0] : field.choices.back();
  if (field.type == spec::Type::boolean) return !field.default_value->get<bool>();
  if (field.type == spec::Type::string) return "other";
  if (field.type == spec::Type::integer) return 7;
  if (field.type == spec::Type::list) return json::array({"one", "two"});
  return 0.125;
}

// Returns the values of all members, as settings.
template <class Table>
json members_of(Table& table) {
  json values;
  for (const auto& field : fields(table)) values[field.name] = *field.default_value;
  return values;
}

template <class Table>
class TableOfASpec : public testing::Test {};
using Tables = testing::Types<spec::Sampling, spec::GrpoTable, spec::OptimizerTable>;
TYPED_TEST_SUITE(TableOfASpec, Tables);

TYPED_TEST(TableOfASpec, HasAMemberForEachSetting) {
  TypeParam standard;
  for (const auto& field : fields(standard)) {
    if (field.name == "clip" || field.name == "clip_low") continue;  // both set one member: see below
    const json value = another_value(field);
    auto table = spec::read_table<TypeParam>({{field.name, value}});
    json expected = members_of(standard);
    if (!field.default_value->is_null()) expected[field.name] = value;
    EXPECT_EQ(members_of(table), expected) << field.name;
  }
}

TEST(GrpoTable, OffersEveryLossThatThereIs) {
  spec::GrpoTable table;
  const auto all = fields(table);
  const auto loss = std::find_if(all.begin(), all.end(), [](const auto& field) { return field.name == "loss"; });
  EXPECT_EQ(loss->choices, grpo::loss_names());
}

TEST(GrpoTable, HasOneClipForBothSidesUnlessASideHasItsOwn) {
  const auto clip = [](const json& settings) { return spec::read_table<spec::GrpoTable>(settings).objective.clip; };
  EXPECT_EQ(clip({{"clip", 0.3}}).low, 0.3);
  EXPECT_EQ(clip({{"clip", 0.3}}).high, 0.3);
  EXPECT_EQ(clip({{"clip", 0.3}, {"clip_low", 0.1}}).low, 0.1);
  EXPECT_EQ(clip({{"clip", 0.3}, {"clip_low", 0.1}}).high, 0.3);
  EXPECT_EQ(clip({{"clip_high", 0.4}, {"delta", 2.5}, {"dual_clip", 3.5}}).high, 0.4);
  EXPECT_EQ(clip({{"clip_high", 0.4}, {"delta", 2.5}, {"dual_clip", 3.5}}).delta, 2.5);
  EXPECT_EQ(clip({{"clip_high", 0.4}, {"delta", 2.5}, {"dual_clip", 3.5}}).dual, 3.5);
}

TEST(GrpoTable, ReadsLimitsThatAreNotSetByDefault) {
  const auto table = spec::read_table<spec::GrpoTable>({{"micro_tokens", 50},
                                                        {"kl_difference_limit", 5.0},
                                                        {"kl_limit", 7.0},
                                                        {"off_policy_limit", 0.0},
                                                        {"entropy_target", 1.5},
                                                        {"advantage_min", -3.0},
                                                        {"advantage_max", nullptr}});
  EXPECT_EQ(table.micro_tokens, 50);
  EXPECT_EQ(table.objective.kl_limits.difference, 5.0);
  EXPECT_EQ(table.objective.kl_limits.estimate, 7.0);
  EXPECT_EQ(table.objective.off_policy, 0.0);
  EXPECT_EQ(table.entropy_control.target, 1.5);
  EXPECT_EQ(table.rule.min, -3.0);
  EXPECT_EQ(table.rule.max, std::numeric_limits<double>::infinity());
}

TEST(GrpoSettings, CountLeaves) {
  EXPECT_EQ(with({{"batch", 7}, {"groups_per_reduction", 2}}).leaves(), 4);  // leaves of 2, 2, 2 and 1 groups
}

TEST(GrpoSettings, PutTheKlIntoTheLossOrIntoTheReward) {
  const auto loss = with({{"beta", 0.04}});
  EXPECT_TRUE(loss.reference);
  EXPECT_EQ(loss.objective.kl, 0.04);
  EXPECT_EQ(loss.kl_reward, 0);
  const auto reward = with({{"beta", 0.04}, {"kl_in", "reward"}});
  EXPECT_TRUE(reward.reference);
  EXPECT_EQ(reward.objective.kl, 0);
  EXPECT_EQ(reward.kl_reward, 0.04);
  EXPECT_FALSE(with(json::object()).reference);
}

TEST(GrpoSettings, LearnFromHighEntropyAloneIfAShareIsSet) {
  EXPECT_TRUE(with({{"high_entropy_share", 0.2}}).objective.only_high_entropy);
  EXPECT_FALSE(with(json::object()).objective.only_high_entropy);
}

TEST(GrpoSettings, AdaptTheEntropyBonusIfThereIsATarget) {
  EXPECT_FALSE(with({{"entropy_step", 0.1}}).adapts_entropy_bonus());
  EXPECT_TRUE(with({{"entropy_target", 1.5}}).adapts_entropy_bonus());
}

TEST(GrpoSettings, CombineRewardsByTheirWeights) {
  const auto s = with({{"combine", "gdpo"}}, {{{"weight", 2.0}}, {{"weight", 0.5}}});
  EXPECT_TRUE(s.gdpo);
  EXPECT_EQ(s.reward_weights, (std::vector<double>{2.0, 0.5}));
}

}  // namespace
}  // namespace compeer::train
