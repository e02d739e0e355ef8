#include "train/run.h"

#include <gtest/gtest.h>

#include "../../record/temporary_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "record/checkpoint.h"
#include "record/run_file.h"

namespace compeer::train {
namespace {

// A run's folder with rows and checkpoints, of a spec whose hash is "mine".
class FindStart : public testing::Test {
 protected:
  void rows(uint64_t count) const {
    auto log = record::RunWriter::create(run_ / "run.h5", R"({"sha256":"mine"})", {"step"});
    for (uint64_t i = 1; i <= count; ++i) log.append(std::vector<double>{static_cast<double>(i)});
  }
  void checkpoint(uint64_t step) const { record::CheckpointWriter(run_.path(), step).commit({{"step", step}}); }
  // What is said on standard error, the step in front; or "where|what|help|exit".
  std::string found(bool resume = true, const std::string& spec = "mine", const std::string& before = "mine") const {
    comm::World world;
    testing::internal::CaptureStderr();
    std::string text;
    try {
      const nlohmann::json earlier = {{"spec_before", before}};
      const nlohmann::json file = {{"sha256", spec}, {"history", nlohmann::json::array({earlier})}};
      text = std::to_string(find_start(world, run_.path(), resume, file).step) + " ";
    } catch (const Error& error) {
      text = error.where() + "|" + error.problem() + "|" + error.help() + "|" +
             std::to_string(static_cast<int>(error.exit()));
    }
    return text + testing::internal::GetCapturedStderr();
  }
  const record::TemporaryFolder run_;
};

TEST_F(FindStart, IsTheNewestCheckpointAndElseTheBeginning) {
  EXPECT_EQ(found(), "0 ");
  rows(8);
  EXPECT_EQ(found(), "0 ");
  checkpoint(7);
  checkpoint(8);
  EXPECT_EQ(found(), "8 ");
  EXPECT_EQ(found(false), "0 ");
}

TEST_F(FindStart, PassesOverCheckpointsThatAreDamagedOrBeyondTheRows) {
  rows(21);
  for (const uint64_t step : {10, 20, 30}) checkpoint(step);
  EXPECT_EQ(found(),
            "20 compeer: warning: passed over checkpoints/step-000030: run.h5 has the rows of 21 steps only\n");
  EXPECT_EQ(std::filesystem::read_symlink(run_ / "checkpoints/last"), "step-000020");
  write_file(run_ / "checkpoints/step-000020/state.json", "{}");
  EXPECT_EQ(found(),
            "10 compeer: warning: passed over checkpoints/step-000030: run.h5 has the rows of 21 steps only\n"
            "compeer: warning: passed over checkpoints/step-000020: state.json has 2 bytes, should have 15\n");
}

// Completions are made durable before a checkpoint. But disks lose what they have confirmed.
TEST_F(FindStart, SetsTornRolloutsAsideAndGoesBackBehindThem) {
  rows(20);
  checkpoint(10);
  checkpoint(20);
  std::filesystem::create_directories(run_ / "rollouts");
  write_file(run_ / "rollouts/r0001-000011.h5.part", std::string(8192, '\0'));
  write_file(run_ / "rollouts/r0000-000021.h5.part", "");
  EXPECT_EQ(found(),
            "10 compeer: warning: passed over checkpoints/step-000020, whose rollouts are torn; it is "
            "checkpoints/step-000020.torn now\n"
            "compeer: warning: passed over rollouts/r0001-000011.h5.part: can't be opened: file signature not "
            "found; it is r0001-000011.h5.torn now, and its steps are repeated\n");
  EXPECT_TRUE(std::filesystem::exists(run_ / "rollouts/r0001-000011.h5.torn"));
  EXPECT_TRUE(std::filesystem::exists(run_ / "rollouts/r0000-000021.h5.part"));  // of steps that are repeated anyway
  EXPECT_EQ(found(), "10 ");  // killed before its rows were cut back, it does not continue from step 20
  write_file(run_ / "rollouts/r0000-000001.h5.part", "");
  EXPECT_EQ(found().substr(0, 2), "0 ");
  EXPECT_FALSE(std::filesystem::is_symlink(run_ / "checkpoints/last"));
  rows(5);
  EXPECT_EQ(found(), "0 ");  // killed before its first checkpoint, it starts over
}

TEST_F(FindStart, BeginsNothingWhereNoCheckpointFits) {
  checkpoint(30);
  const auto wrong =
      run_.path().string() + "|has no checkpoint to go on from:\n  checkpoints/step-000030: run.h5 has the rows of ";
  EXPECT_EQ(found(), wrong + "0 steps only|--fresh starts over and renames the existing folder|4");
  rows(3);
  EXPECT_EQ(found(), wrong + "3 steps only|--fresh starts over and renames the existing folder|4");
}

TEST_F(FindStart, RefusesTheRowsOfAnotherSpec) {
  rows(8);
  checkpoint(8);
  EXPECT_EQ(found(true, "longer", "mine"), "8 ");
  EXPECT_EQ(found(true, "other", "older"),
            (run_ / "spec.json").string() +
                "|is not the spec that run.h5 was begun with|resume with the spec.json that "
                "it had; --fresh begins a run with this one, and keeps the other|4");
}

// The names in a manifest are whatever the folder's owner wrote, and log.txt is read on terminals.
TEST_F(FindStart, NamesDamageWithoutControlCharacters) {
  rows(8);
  checkpoint(7);
  checkpoint(8);
  const auto file = run_ / "checkpoints/step-000008/manifest.json";
  auto manifest = nlohmann::json::parse(read_file(file));
  manifest["files"]["\x1b[2Jgone"] = {{"size", 0}, {"sha256", ""}};
  write_file(file, manifest.dump());
  EXPECT_EQ(found(), "7 compeer: warning: passed over checkpoints/step-000008: \\x1b[2Jgone is missing\n");
}

std::vector<uint64_t> due_steps(const nlohmann::json& settings, uint64_t steps) {
  comm::World world;
  const CheckpointTimes times(Settings(settings), steps);
  std::vector<uint64_t> due;
  for (uint64_t step = 1; step <= steps; ++step)
    if (times.due(world, step)) due.push_back(step);
  return due;
}

TEST(CheckpointTimes, AreATenthOfTheRunUnlessTheSpecSaysOtherwise) {
  EXPECT_EQ(due_steps({{"every", nullptr}, {"minutes", 10.0}}, 25),
            (std::vector<uint64_t>{3, 6, 9, 12, 15, 18, 21, 24, 25}));
  EXPECT_EQ(due_steps({{"every", nullptr}, {"minutes", 10.0}}, 3), (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(due_steps({{"every", 4}, {"minutes", 10.0}}, 9), (std::vector<uint64_t>{4, 8, 9}));
  EXPECT_EQ(due_steps({{"every", 0}, {"minutes", 0.0}}, 9), std::vector<uint64_t>{9});
}

TEST(CheckpointTimes, DontWaitForTheStepsWhenTheMinutesHavePassed) {
  EXPECT_EQ(due_steps({{"every", 4}, {"minutes", 1e-9}}, 5), (std::vector<uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(due_steps({{"every", 0}, {"minutes", 1e-9}}, 2), (std::vector<uint64_t>{1, 2}));
}

}  // namespace
}  // namespace compeer::train
