#include "train/metrics/step_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "train/metrics/metric_row.h"

namespace compeer::train {
namespace {

struct Made {
  std::vector<double> rewards;
  std::vector<std::string> texts;
};

void fill(StepBatch& batch, const std::string& name, size_t prompt, const std::vector<double>& values) {
  if (prompt == 0) batch.columns.set_unknown(name);
  std::ranges::copy(values, batch.columns.row(name, prompt).begin());
}

// Completion i has i + 1 tokens; the first is truncated.
StepTable table_of(const std::vector<Made>& made, std::span<const double> notes = {}) {
  Groups groups;
  for (const auto& [rewards, texts] : made) {
    PromptGroup group;
    for (size_t i = 0; i < rewards.size(); ++i) {
      rollout::Sample sample;
      sample.tokens.assign(i + 1, 3);
      sample.log_probs.assign(i + 1, -0.5f);
      sample.entropies.assign(i + 1, 0.25f);
      sample.finished = i > 0;
      group.samples.push_back(sample);
      group.completions.push_back({texts[i], static_cast<int64_t>(i + 1), i > 0});
    }
    groups.push_back(std::move(group));
  }
  StepBatch batch(std::move(groups), made.empty() ? 2 : std::ssize(made[0].rewards));
  for (const char* name : {"reward", "learned"}) {
    batch.columns.set_unknown(name);
    for (size_t g = 0; g < made.size(); ++g) fill(batch, name, g, made[g].rewards);
  }
  comm::World world;
  return StepTable::gather(world, batch, {"reward"}, notes);
}

std::map<std::string, double> metrics_of(const StepTable& table) {
  std::map<std::string, double> metrics;
  for (const auto& [name, value] : table.metrics({"reward"})) metrics[name] = value;
  return metrics;
}

TEST(StepTable, AveragesOverAllCompletionsOfTheStep) {
  const auto table = table_of({{{1, 3}, {"a b", "a b"}}, {{2, 2}, {"c", "d"}}});
  ASSERT_EQ(table.columns.prompts(), 2);
  EXPECT_EQ(table.tokens(), 6);
  const auto metrics = metrics_of(table);
  EXPECT_DOUBLE_EQ(metrics.at("reward"), 2.0);
  EXPECT_DOUBLE_EQ(metrics.at("reward_std"), std::sqrt(2.0 / 3));  // of 1 3 2 2
  EXPECT_DOUBLE_EQ(metrics.at("group_std"), std::sqrt(2.0) / 2);   // sqrt(2) in the first group, 0 in the second
  EXPECT_DOUBLE_EQ(metrics.at("zero_variance"), 0.5);
  EXPECT_DOUBLE_EQ(metrics.at("length"), 1.5);
  EXPECT_DOUBLE_EQ(metrics.at("truncated"), 0.5);
  EXPECT_DOUBLE_EQ(metrics.at("entropy"), 0.25);
  EXPECT_DOUBLE_EQ(metrics.at("distinct_1"), 4.0 / 6);  // a b c d of a b a b c d
  EXPECT_DOUBLE_EQ(metrics.at("distinct_2"), 1.0 / 2);
  // "a b" twice: all words and pairs match, and longer n-grams have the smoothed count 0.1: (1 x 1 x .1 x .1)^(1/4); c,
  // d: 0.
  EXPECT_DOUBLE_EQ(metrics.at("self_bleu"), std::sqrt(0.1) / 2);
  EXPECT_DOUBLE_EQ(metrics.at("self_similarity"), 0.5);  // 1 in the first group, 0 in the second
  EXPECT_EQ(metrics.size(), StepTable::metric_names({"reward"}).size());
}

TEST(StepTable, LeavesOutRewardsThatAreNotANumber) {
  const double none = std::nan("");
  const auto metrics = metrics_of(table_of({{{1, none, 3}, {"a", "b", "c"}}, {{2, none, none}, {"a", "b", "c"}}}));
  EXPECT_DOUBLE_EQ(metrics.at("reward"), 2.0);
  EXPECT_DOUBLE_EQ(metrics.at("reward_std"), 1.0);                // of 1 3 2
  EXPECT_DOUBLE_EQ(metrics.at("group_std"), std::sqrt(2.0) / 2);  // of 1 3, and of 2
  EXPECT_DOUBLE_EQ(metrics.at("zero_variance"), 0.5);
}

TEST(StepTable, HasNoMeanOfNothing) {
  const double none = std::nan("");
  const auto metrics = metrics_of(table_of({{{none}, {"a"}}}));
  EXPECT_TRUE(std::isnan(metrics.at("reward")));
  EXPECT_TRUE(std::isnan(metrics.at("reward_std")));
  EXPECT_TRUE(std::isnan(metrics.at("group_std")));
  EXPECT_TRUE(std::isnan(metrics.at("self_similarity")));  // one completion has no other
  EXPECT_DOUBLE_EQ(metrics.at("zero_variance"), 1.0);
}

// Two parts that add up to the reward with the weight 2, and a third part with a missing value.
StepTable table_of_parts() {
  const double none = std::nan("");
  Groups groups(2);
  for (auto& group : groups) group.samples.resize(2), group.completions.resize(2);
  StepBatch batch(std::move(groups), 2);
  const auto add = [&](size_t prompt, const std::vector<double>& reply, const std::vector<double>& steps,
                       const std::vector<double>& part) {
    const std::vector<double> rewards{2 * (reply[0] + steps[0]), 2 * (reply[1] + steps[1])};
    fill(batch, "reward", prompt, rewards);
    fill(batch, "learned", prompt, rewards);
    fill(batch, "rewards/a/reply", prompt, reply);
    fill(batch, "rewards/a/steps", prompt, steps);
    fill(batch, "rewards/a/part", prompt, part);
  };
  add(0, {1, 0}, {3, 0}, {1, none});
  add(1, {0, 1}, {10, 10}, {0, 1});  // the difference of "steps" between groups doesn't count
  comm::World world;
  return StepTable::gather(world, batch, {"reward", "rewards/a/reply", "rewards/a/steps", "rewards/a/part"}, {});
}

TEST(StepTable, KnowsWhichPartDecidesWithinGroups) {
  const auto table = table_of_parts();
  // Rewards 8 0 and 20 22: squared deviations 32 + 2; covariances 4 + 1 with "reply", 12 + 0 with "steps".
  EXPECT_DOUBLE_EQ(table.variance_share({"rewards/a/reply", 2}), 2 * 5.0 / 34);
  EXPECT_DOUBLE_EQ(table.variance_share({"rewards/a/steps", 2}), 2 * 12.0 / 34);
  EXPECT_DOUBLE_EQ(table.variance_share({"rewards/a/part", 2}), 2 * 1.0 / 2);  // of the second group only
  EXPECT_EQ(StepTable::share_column({"rewards/a/reply", 2}), "rewards/a/reply_share");
}

TEST(StepTable, KnowsNoPartThatDecidesWhereRewardsAreEqual) {
  EXPECT_TRUE(std::isnan(table_of({{{2, 2}, {"a", "b"}}}).variance_share({"reward", 1})));
  const std::vector<double> tenths(8, 0.1);  // the float64 mean is not exactly 0.1
  EXPECT_TRUE(std::isnan(table_of({{tenths, std::vector<std::string>(8, "a")}}).variance_share({"reward", 1})));
}

TEST(StepTable, CarriesWhatRanksNoteOfThemselves) {
  const double notes[] = {3, -1};
  const auto table = table_of({}, notes);
  EXPECT_EQ(table.largest(0), 3);
  EXPECT_EQ(table.sum(1), -1);
  EXPECT_EQ(table.columns.prompts(), 0);
}

TEST(StepTable, IsDividedByPromptsAndPutTogetherAgain) {
  const auto table = table_of({{{1, 3}, {"a b", "a b"}}, {{2, 2}, {"c", "d"}}});
  EXPECT_DOUBLE_EQ(metrics_of(table.prompt(0)).at("reward_std"), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(metrics_of(table.prompt(1)).at("distinct_1"), 1);
  StepTable whole;
  for (int64_t g = 0; g < 2; ++g) whole.append(table.prompt(g));
  EXPECT_EQ(metrics_of(whole), metrics_of(table));
}

TEST(AllEqual, LeavesOutCompletionsWithoutAReward) {
  const double nobody = std::nan("");
  const auto equal = [](const std::vector<double>& rewards) { return all_equal(rewards); };
  EXPECT_TRUE(equal({1, nobody, 1}));
  EXPECT_TRUE(equal({nobody, nobody}));
  EXPECT_FALSE(equal({nobody, 1, 2}));
}

TEST(MetricRow, IsNotANumberUntilSet) {
  const std::vector<std::string> columns{"a", "b"};
  MetricRow row(columns);
  row.set("b", 2);
  EXPECT_TRUE(std::isnan(row.get("a")));
  EXPECT_EQ(row.get("b"), 2);
  EXPECT_TRUE(row.has("b"));
  EXPECT_FALSE(row.has("c"));
  EXPECT_THROW(row.set("c", 1), std::logic_error);
}

TEST(MetricRow, NamesAMetricThatWasNotDeclared) {
  const std::vector<std::string> columns{"a"};
  MetricRow row(columns);
  try {
    row.set("c", 1);
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "metric 'c' was not declared");
  }
}

TEST(PhaseClock, HasAColumnForEachPhaseAndOneForTheStep) {
  EXPECT_EQ(PhaseClock::columns({"rollout", "train"}),
            (std::vector<std::string>{"seconds/rollout", "seconds/train", "seconds/step"}));
}

TEST(PhaseClock, WritesThePhasesThatRan) {
  const auto columns = PhaseClock::columns({"rollout", "train"});
  MetricRow row(columns);
  PhaseClock clock;
  EXPECT_EQ(clock.time("rollout", [] { return 7; }), 7);
  clock.time("rollout", [] {});
  clock.write(row);
  EXPECT_GE(row.get("seconds/rollout"), 0);
  EXPECT_GE(row.get("seconds/step"), row.get("seconds/rollout"));
  EXPECT_TRUE(std::isnan(row.get("seconds/train")));
}

TEST(PhaseClock, CountsAPhaseThatFails) {
  const auto columns = PhaseClock::columns({"rollout"});
  MetricRow row(columns);
  PhaseClock clock;
  EXPECT_THROW(clock.time("rollout", []() -> int { throw 7; }), int);
  clock.write(row);
  EXPECT_FALSE(std::isnan(row.get("seconds/rollout")));
}

}  // namespace
}  // namespace compeer::train
