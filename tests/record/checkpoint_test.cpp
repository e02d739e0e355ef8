#include "record/checkpoint.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "temporary_folder.h"

namespace compeer::record {

namespace {

std::filesystem::path write_checkpoint(const std::filesystem::path& run, uint64_t step) {
  CheckpointWriter writer(run, step);
  write_file(writer.folder() / "model.safetensors", "weights of step " + std::to_string(step));
  std::filesystem::create_directory(writer.folder() / "tokenizer");
  write_file(writer.folder() / "tokenizer/vocab.json", "{}");
  return writer.commit({{"cursor", step}});
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST(Checkpoint, AppearsWholeWithStateManifestAndLink) {
  const TemporaryFolder run;
  EXPECT_EQ(write_checkpoint(run.path(), 120), run / "checkpoints/step-000120");
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"last", "step-000120"}));
  EXPECT_EQ(read_file(run / "checkpoints/last/model.safetensors"), "weights of step 120");
  const auto manifest = nlohmann::json::parse(read_file(run / "checkpoints/last/manifest.json"));
  EXPECT_EQ(manifest["step"], 120);
  EXPECT_EQ(manifest["files"].size(), 3u);
  // SHA-256 of "{}"
  EXPECT_EQ(
      manifest["files"]["tokenizer/vocab.json"],
      (nlohmann::json{{"size", 2}, {"sha256", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}}));
  const auto good = newest_good(run.path());
  ASSERT_TRUE(good);
  EXPECT_EQ(good->step, 120u);
  EXPECT_EQ(good->state["cursor"], 120);
}

TEST(Checkpoint, NotCommittedLeavesNothing) {
  const TemporaryFolder run;
  {
    CheckpointWriter writer(run.path(), 1);
    write_file(writer.folder() / "model.safetensors", "half");
    EXPECT_FALSE(newest_good(run.path()));
  }
  EXPECT_TRUE(names_in(run / "checkpoints").empty());
}

TEST(Checkpoint, OfTheSameStepIsReplaced) {
  const TemporaryFolder run;
  write_checkpoint(run.path(), 5);
  write_file(run / "checkpoints/step-000005/model.safetensors", "damaged");
  write_checkpoint(run.path(), 5);
  EXPECT_EQ(damage(run / "checkpoints/step-000005"), "");
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"last", "step-000005"}));
}

TEST(Checkpoint, IsPointedAtAgainAfterAKillBetweenItsNameAndTheLink) {
  const TemporaryFolder run;
  write_checkpoint(run.path(), 1);
  const auto second = write_checkpoint(run.path(), 2);
  const auto link = run / "checkpoints/last";
  std::filesystem::remove(link);
  std::filesystem::create_directory_symlink("step-000001", link);
  point_at(second, "last");
  EXPECT_EQ(std::filesystem::read_symlink(link), "step-000002");
  point_at(second, "last");
  EXPECT_EQ(std::filesystem::read_symlink(link), "step-000002");
}

TEST(Checkpoint, DamagedOnesAreSkippedAndNamed) {
  const TemporaryFolder run;
  for (const uint64_t step : {10, 20, 30, 40, 50}) write_checkpoint(run.path(), step);
  write_file(run / "checkpoints/step-000050/model.safetensors", "cut");
  write_file(run / "checkpoints/step-000040/model.safetensors", "weights of step 41");
  std::filesystem::remove(run / "checkpoints/step-000030/tokenizer/vocab.json");
  write_file(run / "checkpoints/step-000020/manifest.json", "{");
  std::vector<std::string> problems;
  const auto good = newest_good(run.path(), &problems);
  ASSERT_TRUE(good);
  EXPECT_EQ(good->step, 10u);
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0], "checkpoints/step-000050: model.safetensors has 3 bytes, should have 18");
  EXPECT_EQ(problems[1],
            "checkpoints/step-000040: model.safetensors was modified after it was written: SHA-256 mismatch");
  EXPECT_EQ(problems[2], "checkpoints/step-000030: tokenizer/vocab.json is missing");
  EXPECT_TRUE(problems[3].starts_with("checkpoints/step-000020: manifest.json is not valid JSON")) << problems[3];
}

TEST(Checkpoint, ManifestMayNotNameFilesElsewhere) {
  const TemporaryFolder run;
  const auto folder = write_checkpoint(run.path(), 1);
  auto manifest = nlohmann::json::parse(read_file(folder / "manifest.json"));
  manifest["files"]["../../secret"] = {{"size", 0}, {"sha256", ""}};
  write_file(folder / "manifest.json", manifest.dump());
  EXPECT_EQ(damage(folder), "manifest.json has an invalid entry '../../secret'");
  manifest["step"] = 2;
  write_file(folder / "manifest.json", manifest.dump());
  EXPECT_EQ(damage(folder), "manifest.json belongs to another step");
}

TEST(Checkpoint, AModelIsWholeWithoutTheOptimizersFiles) {
  const TemporaryFolder run;
  CheckpointWriter writer(run.path(), 1);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "optimizer-1.safetensors"})
    write_file(writer.folder() / name, name);
  const auto folder = writer.commit({});
  std::filesystem::remove(folder / "optimizer.safetensors");
  std::filesystem::remove(folder / "optimizer-1.safetensors");
  EXPECT_EQ(changed_model(folder), "");
  write_file(folder / "model.safetensors", "others");
  EXPECT_NE(changed_model(folder), "");
}

TEST(Checkpoint, PruningKeepsTheNewestAndTheNewestGood) {
  const TemporaryFolder run;
  for (const uint64_t step : {1, 2, 3, 4}) write_checkpoint(run.path(), step);
  prune(run.path(), 3);
  EXPECT_EQ(names_in(run / "checkpoints"),
            (std::vector<std::string>{"last", "step-000002", "step-000003", "step-000004"}));
  for (const char* step : {"step-000003", "step-000004"})
    write_file(run / "checkpoints" / step / "model.safetensors", "damaged");
  prune(run.path(), 1);
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"last", "step-000002", "step-000004"}));
  prune(run.path(), 0);  // 0 is treated as 1
  EXPECT_EQ(names_in(run / "checkpoints").size(), 3u);
}

// A run that skipped damaged checkpoints and resumed from an earlier one: the skipped ones neither count nor are
// deleted.
TEST(Checkpoint, PruningKeepsWhatLastPointsAt) {
  const TemporaryFolder run;
  for (const uint64_t step : {10, 20, 30, 40}) write_checkpoint(run.path(), step);
  point_at(run / "checkpoints/step-000010", "last");
  write_checkpoint(run.path(), 12);
  prune(run.path(), 1);
  EXPECT_EQ(pointed_at(run.path()), run / "checkpoints/step-000012");
  EXPECT_EQ(names_in(run / "checkpoints"),
            (std::vector<std::string>{"last", "step-000012", "step-000020", "step-000030", "step-000040"}));
  write_checkpoint(run.path(), 41);
  prune(run.path(), 2);
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"last", "step-000040", "step-000041"}));
}

TEST(Checkpoint, PruningKeepsWhatValidationFoundBest) {
  const TemporaryFolder run;
  for (const uint64_t step : {1, 2, 3, 4}) write_checkpoint(run.path(), step);
  point_best_at(run.path(), 2);
  prune(run.path(), 1);
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"best", "last", "step-000002", "step-000004"}));
  EXPECT_EQ(pointed_at(run.path(), "best"), run / "checkpoints/step-000002");
  point_best_at(run.path(), 4);
  prune(run.path(), 1);
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"best", "last", "step-000004"}));
  point_best_at(run.path(), 7);  // the run resumed from an earlier step, so this one does not exist yet
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"last", "step-000004"}));
}

TEST(Checkpoint, LeftoversOfKilledRunsAreRemovedAtTheStart) {
  const TemporaryFolder run;
  remove_unfinished(run.path());
  write_checkpoint(run.path(), 1);
  std::filesystem::create_directories(run / "checkpoints/step-000002.part");
  std::ofstream(run / "checkpoints/step-000002.part/model.safetensors") << "half";
  std::filesystem::create_directory_symlink("step-000002", run / "checkpoints/last.part");
  std::filesystem::create_directories(run / "checkpoints/step-000000.old.part");
  for (const char* file : {"summary.json.123.part", "status.json.0.123.part"}) std::ofstream(run / file) << "half";
  EXPECT_EQ(newest_good(run.path())->step, 1u);
  remove_unfinished(run.path());
  EXPECT_EQ(names_in(run / "checkpoints"), (std::vector<std::string>{"last", "step-000001"}));
  EXPECT_EQ(names_in(run.path()), std::vector<std::string>{"checkpoints"});
}

}  // namespace compeer::record
