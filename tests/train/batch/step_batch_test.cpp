#include "train/batch/step_batch.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

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

}  // namespace
}  // namespace compeer::train
