#include "train/batch/step_batch.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "../small_run.h"
#include "train/batch/records.h"

namespace compeer::train {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing";
}

at::Tensor two_by_two(const std::vector<double>& values) { return at::tensor(values, at::kDouble).view({2, 2}); }

TEST(BatchColumns, AreFoundByName) {
  BatchColumns columns(2, 2);
  columns.set("reward", two_by_two({1, 2, 3, 4}));
  columns.set("rewards/format/reward", two_by_two({0.5, 3, 1, 1}));
  EXPECT_EQ(std::as_const(columns).row("rewards/format/reward", 0), (std::vector<double>{0.5, 3}));
  columns.row("reward", 1)[0] = 7;
  EXPECT_EQ(columns["reward"][1][0].item<double>(), 7);
  columns.set_unknown("reward");
  EXPECT_TRUE(std::isnan(columns.row("reward", 1)[0]));
  EXPECT_EQ(columns.names(), (std::vector<std::string>{"reward", "rewards/format/reward"}));
}

TEST(BatchColumns, NameWhatIsWrong) {
  BatchColumns columns(2, 2);
  columns.set_unknown("reward");
  columns.set_unknown("reweighted");
  EXPECT_EQ(error_of([&] { columns.set("kl", at::tensor({1.0}, at::kDouble)); }),
            "column 'kl' is not of 2 x 2 numbers");
  EXPECT_EQ(error_of([&] { columns["reword"]; }), "no column 'reword' in the batch: reward, reweighted");
}

TEST(StepBatch, HasColumnsOfItsSamples) {
  PromptGroup group;
  group.samples = {{{72, 73}, {-0.5f, -0.25f}, {0.25f, 0.75f}, true}, {{72}, {-0.5f}, {}, false}};
  StepBatch batch({group}, 2);
  const BatchColumns& columns = batch.columns;
  EXPECT_EQ(columns.row("length", 0), (std::vector<double>{2, 1}));
  EXPECT_EQ(columns.row("entropy", 0), (std::vector<double>{0.5, 0}));
  EXPECT_EQ(columns.row("finished", 0), (std::vector<double>{1, 0}));
}

TEST(StepBatch, TakesAPromptOfAnother) {
  Groups groups(2);
  for (auto& group : groups) group.samples.resize(2);
  StepBatch batch(groups, 2), other(groups, 2);
  other.groups[0].example.id = "other";
  other.notes[0] = {5};
  batch.columns.set("reward", two_by_two({1, 2, 3, 4}));
  other.columns.set("reward", two_by_two({5, 6, 7, 8}));
  batch.replace(1, other, 0);
  EXPECT_EQ(batch.groups[1].example.id, "other");
  EXPECT_EQ(batch.notes[1], std::vector<nlohmann::json>{5});
  EXPECT_TRUE(batch.columns["reward"].equal(two_by_two({1, 2, 5, 6})));
}

TEST(AColumnOfAllRanks, IsInTheOrderOfTheStep) {
  BatchColumns columns(2, 2);
  columns.set("reward", two_by_two({1, 2, 3, 4}));
  comm::World world;
  EXPECT_TRUE(column_of_all_ranks(world, columns, "reward").equal(two_by_two({1, 2, 3, 4})));
}

class RollOut : public testing::Test {
 protected:
  Groups groups(int64_t first, int64_t count, RngKey key, const std::vector<std::string>& stop = {}) {
    auto& run = small.run;
    auto all = records.read(first, count, [](int64_t i) { return i; });
    auto sampling = spec::read_table<rollout::Sampling>(run.spec.json().at("sampling"));
    sampling.stop = stop;
    complete.clear();
    roll_out(*run.plugins, all, sampling, 3, key, [&](const PromptGroup& group) {
      complete.push_back(group.index);
      EXPECT_EQ(&group, &all[static_cast<size_t>(group.index - first)]);
      EXPECT_EQ(group.completions.size(), 3u);
    });
    return all;
  }
  std::vector<int64_t> complete;  // completed groups, in order of completion
  SmallRun small{five_dialogues()};
  Records records = Records::select(small.world, *small.run.plugins, small.run.spec.table("dataset"),
                                    {"train", Records::Reserve::completion, 8}, 5);
};

TEST_F(RollOut, GivesEachPromptItsCompletions) {
  const auto all = groups(0, 2, {1, 1});
  ASSERT_EQ(all.size(), 2u);
  for (const auto& group : all) {
    ASSERT_EQ(group.samples.size(), 3u);
    ASSERT_EQ(group.completions.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      const auto& sample = group.samples[i];
      EXPECT_LE(sample.tokens.size(), 8u);
      EXPECT_EQ(sample.log_probs.size(), sample.tokens.size());
      EXPECT_EQ(sample.entropies.size(), sample.tokens.size());
      EXPECT_EQ(group.completions[i].tokens, static_cast<int64_t>(sample.tokens.size()));
      EXPECT_EQ(group.completions[i].finished, sample.finished);
      EXPECT_EQ(group.completions[i].token_ids, sample.tokens);
      EXPECT_EQ(group.completions[i].log_probs, sample.log_probs);
      EXPECT_EQ(group.completions[i].least_log_prob, *std::ranges::min_element(sample.log_probs));
      EXPECT_EQ(group.completions[i].text, small.run.plugins->tokenizer().decode(sample.tokens));
    }
  }
}

// Sampling must not depend on the rank that has the group.
TEST_F(RollOut, DrawsTheSameTokensForAGroupWhateverOthersThereAre) {
  const auto all = groups(0, 3, {1, 1}), alone = groups(2, 1, {1, 1});
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(alone[0].samples[i].tokens, all[2].samples[i].tokens);
}

TEST_F(RollOut, DrawsOtherTokensWithAnotherKey) {
  const auto tokens = [&](RngKey key) { return groups(0, 1, key)[0].samples[0].tokens; };
  EXPECT_EQ(tokens({1, 1, 0}), tokens({1, 1, 0}));
  EXPECT_NE(tokens({1, 1, 0}), tokens({2, 1, 0}));
  EXPECT_NE(tokens({1, 1, 0}), tokens({1, 2, 0}));
  EXPECT_NE(tokens({1, 1, 0}), tokens({1, 1, 8}));
}

TEST_F(RollOut, TellsOfEachGroupOnceWhenItIsComplete) {
  groups(1, 3, {1, 1});
  std::ranges::sort(complete);
  EXPECT_EQ(complete, (std::vector<int64_t>{1, 2, 3}));
}

TEST_F(RollOut, RefusesAnEmptyStopString) {
  EXPECT_EQ(complaint([&] {
              groups(0, 1, {1, 1}, {""});
            }),
            "sampling.stop: contains an empty string, which would stop every completion immediately\n  help: "
            "remove it");
}

TEST(RoomForCompletions, IsAtMostHalfOfTheModels) {
  rollout::Sampling sampling;
  sampling.max_new_tokens = 24;
  EXPECT_EQ(room_for_completions(sampling, 80), 24);
  EXPECT_EQ(room_for_completions(sampling, 30), 15);
}

}  // namespace
}  // namespace compeer::train
