// compeer log verify
#include "finished_run.h"

namespace compeer::app {

namespace {

/// A finished data run whose stage kept two of three records.
class DataLog : public Log {
 protected:
  DataLog() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "stages");
    const json spec = {
        {"name", "tiny"}, {"task", "data"}, {"dataset", {{"plugin", "made"}}}, {"stages", {{{"plugin", "sage"}}}}};
    const auto text = write_spec(spec);
    auto run = record::RunWriter::create(folder_ / "run.h5", text, {"step", "in", "out", "dropped"});
    run.append(std::vector<double>{1, 3, 3, 0});
    run.append(std::vector<double>{2, 3, 2, 1});
    run.finish("finished");
    write_file(folder_ / "stages/00-made.jsonl", "{}\n{}\n{}\n");
    write_file(folder_ / "stages/01-sage.jsonl", kept_);
    record::write_status(folder_, {"finished", 2, 2, "", {}, "", 1, 1});
    record::Summary summary{"data", 2, {}, {}};
    summary.details["stages"] = {stage("00-made", 3, json::object()), stage("01-sage", 2, {{"no answer", 1}})};
    record::write_summary(folder_, summary);
  }

  static json stage(const std::string& name, int out, const json& dropped) {
    return {{"stage", name}, {"in", 3}, {"out", out}, {"dropped", dropped}, {"counts", json::object()}};
  }

  const std::string kept_ = "{\"id\":\"a\"}\n{\"id\":\"b\"}\n";
};

}  // namespace

TEST_F(Log, VerifyFindsNothingWrongWithAWholeRun) {
  EXPECT_EQ(failures(), Failures{});
  std::ostringstream out;
  EXPECT_EQ(log_verify({folder_.string(), false, 60}, out), 0);
  EXPECT_NE(out.str().find("good  run.h5                    2 rows, 3 columns, 1 events, finished\n"),
            std::string::npos);
  EXPECT_NE(out.str().find("good  rollouts                  2 steps, 8 completions\n"), std::string::npos);
}

TEST_F(Log, VerifyFindsAMissingOrBrokenSummary) {
  std::filesystem::remove(folder_ / "summary.json");
  EXPECT_EQ(failures(), Failures{"summary.json: is missing, though the run finished"});
  write_file(folder_ / "summary.json", "null");
  EXPECT_EQ(failures(), Failures{"summary.json: is not a JSON object"});
  std::filesystem::remove(folder_ / "summary.json");
  record::write_status(folder_, {"running", 2, 2, "", {}, "", 1, 1});
  EXPECT_EQ(failures(), Failures{});
}

TEST_F(Log, VerifyFindsAChangedWeight) {
  flip_byte(folder_ / "checkpoints/step-000002/model.safetensors", 3);
  EXPECT_EQ(failures(),
            Failures{"checkpoints/step-000002: model.safetensors was modified after it was written: SHA-256 mismatch"});
}

TEST_F(Log, VerifyShowsAStrangersFileNamesWithoutControlCharacters) {
  const auto file = folder_ / "checkpoints/step-000002/manifest.json";
  auto manifest = json::parse(read_file(file));
  manifest["files"]["\x1b[2Jgone"] = {{"size", 0}, {"sha256", ""}};
  write_file(file, manifest.dump());
  std::ostringstream out;
  EXPECT_EQ(log_verify({folder_.string(), false, 60}, out), 4);
  EXPECT_NE(out.str().find("BAD   checkpoints/step-000002   \\x1b[2Jgone is missing\n"), std::string::npos)
      << out.str();
}

TEST_F(Log, VerifyFindsAChangedSpec) {
  auto text = read_file(folder_ / "spec.json");
  text.replace(text.find("\"batch\":2"), 9, "\"batch\":3");
  write_file(folder_ / "spec.json", text);
  ASSERT_FALSE(failures().empty());
  EXPECT_TRUE(failures()[0].starts_with("spec.json: ")) << failures()[0];
}

TEST_F(Log, VerifyFindsMissingAndTooFewRollouts) {
  std::filesystem::remove(folder_ / "rollouts/r0000-000001.h5");
  record::RolloutWriter rollouts(folder_ / "rollouts", 0, {"reward"});
  rollouts.append({rows(1)[0], rows(1)[1], rows(1)[2], rows(1)[3]});
  rollouts.append({rows(2)[0], rows(2)[1], rows(2)[2]});
  rollouts.finish();
  EXPECT_EQ(failures(), Failures{"rollouts: step 2 has 1 of the 2 completions of prompt 1"});
  std::filesystem::remove(folder_ / "rollouts/r0000-000001.h5");
  record::RolloutWriter again(folder_ / "rollouts", 0, {"reward"});
  again.append({rows(1)[0], rows(1)[1]});
  again.finish();
  EXPECT_EQ(failures(), Failures{"rollouts: step 1 has 1 of 2 prompts"});
}

TEST_F(Log, VerifyForgivesTheStepThatWasInFlight) {
  record::RolloutWriter rollouts(folder_ / "rollouts", 1, {"reward"});
  rollouts.append({rows(3)[0], rows(3)[1]});
  EXPECT_EQ(failures(), Failures{});
}

TEST_F(Log, VerifyForgivesARankThatWasCutBackToTheCheckpointBeforeAnother) {
  auto run = record::RunWriter::resume(folder_ / "run.h5", 2, {"step", "reward", "odd,name"});
  run.append(std::vector<double>{3, 0, 0});
  record::RolloutWriter rollouts(folder_ / "rollouts", 1, {"reward"});
  rollouts.append({rows(3)[0], rows(3)[1]});
  EXPECT_EQ(failures(), Failures{});
  run.finish("finished");
  EXPECT_EQ(failures(), (Failures{"rollouts: step 3 has 1 of 2 prompts",
                                  "checkpoints: reach step 2, but the run was finished with 3 rows"}));
}

TEST_F(Log, VerifyFindsALastThatPointsAtNothing) {
  const auto last = folder_ / "checkpoints/last";
  std::filesystem::remove(last);
  EXPECT_EQ(failures(), Failures{"checkpoints: 'last' does not point to step-000002"});
  std::filesystem::create_directory_symlink("step-000040", last);
  EXPECT_EQ(failures(), (Failures{"checkpoints: 'last' does not point to step-000002",
                                  "checkpoints/last: points to step-000040, which does not exist"}));
}

TEST_F(Log, VerifyFindsCheckpointsWithoutRows) {
  record::CheckpointWriter(folder_, 40).commit({{"step", 40}});
  EXPECT_EQ(failures(), Failures{"checkpoints: reach step 40, but run.h5 has 2 rows"});
}

TEST_F(Log, VerifyFindsRowsBeyondTheNewestCheckpoint) {
  std::filesystem::remove_all(folder_ / "checkpoints");
  EXPECT_EQ(failures(), Failures{"checkpoints: reach no step, but the run was finished with 2 rows"});
  auto run = record::RunWriter::resume(folder_ / "run.h5", 2, {"step", "reward", "odd,name"});
  EXPECT_EQ(failures(), Failures{});  // a run that is running or was killed
  run.finish("preempted");
  EXPECT_EQ(failures(), Failures{"checkpoints: reach no step, but the run was preempted with 2 rows"});
}

TEST_F(Log, VerifyFindsARunFileOfAnotherSpec) {
  auto run = record::RunWriter::create(folder_ / "run.h5", R"({"sha256":"0"})", {"step"});
  run.append(std::vector<double>{1});
  run.append(std::vector<double>{2});
  run.finish("finished");
  EXPECT_EQ(failures(), Failures{"run.h5: was written for another spec than spec.json"});
  // Killed after its steps were raised, before it wrote the first new row.
  auto file = json::parse(read_file(folder_ / "spec.json"));
  file["history"] = json::parse(
      R"([{"step": 2, "what": "grpo.steps", "before": 2, "after": 4, "spec_before": "0", "spec_after": "1"}])");
  write_file(folder_ / "spec.json", file.dump());
  EXPECT_EQ(failures(), Failures{});
}

TEST_F(Log, VerifyEndsWhateverADamagedFileDoesToHdf5) {
  const std::string whole = read_file(folder_ / "run.h5");
  for (size_t i = 0; i < 12; ++i) {
    std::string damaged = whole.substr(0, whole.size() - i * whole.size() / 16);
    for (size_t at = 64 + 17 * i; at < std::min<size_t>(damaged.size(), 20'000); at += 331 + 13 * i)
      damaged[at] ^= 0x55;
    write_file(folder_ / "run.h5", damaged);
    std::ostringstream out;
    log_verify({folder_.string(), true, 60}, out);
    EXPECT_FALSE(json::parse(out.str())["checks"].empty());
  }
}

TEST_F(DataLog, VerifyCountsTheRecordsOfStages) {
  EXPECT_EQ(failures(), Failures{});
  std::ostringstream out;
  EXPECT_EQ(log_verify({folder_.string(), false, 60}, out), 0);
  EXPECT_NE(out.str().find("good  stages                    2 stages, 5 records\n"), std::string::npos) << out.str();
}

TEST_F(DataLog, VerifyFindsDamagedFilesOfStages) {
  const auto file = folder_ / "stages/01-sage.jsonl";
  write_file(file, kept_.substr(0, kept_.size() - 3));
  EXPECT_EQ(failures(), Failures{"stages: stages/01-sage.jsonl: ends within line 2"});
  write_file(file, kept_.substr(0, 11));
  EXPECT_EQ(failures(), Failures{"stages: stages/01-sage.jsonl: contains 1 of 2 records"});
  write_file(file, "{}\n\x07\xc3\x9e{\n");
  EXPECT_EQ(failures(), Failures{"stages: stages/01-sage.jsonl: line 2 is not JSON"});
  std::filesystem::remove(file);
  EXPECT_EQ(failures(), Failures{"stages: stages/01-sage.jsonl: missing"});
}

// Without a checkpoint the run starts over, so nothing in run.h5 is needed.
TEST_F(DataLog, VerifyForgivesDamagedRowsOfARunThatStartsOver) {
  const auto text = record::RunReader(folder_ / "run.h5").spec_text();
  std::filesystem::remove(folder_ / "run.h5");
  std::filesystem::remove(folder_ / "summary.json");
  record::write_status(folder_, {"running", 1, 2, "", {}, "", 1, 1});
  const double unusual = 1234.5678;
  {
    auto run = record::RunWriter::create(folder_ / "run.h5", text, {"step", "in", "out", "dropped"});
    run.append(std::vector<double>{1, unusual, 3, 0});
    run.finish("finished");  // a power failure follows: there is no summary
  }
  const auto bytes = read_file(folder_ / "run.h5");
  flip_byte(folder_ / "run.h5", bytes.find(std::string(reinterpret_cast<const char*>(&unusual), sizeof unusual)));
  EXPECT_EQ(failures(), Failures{});
  std::ostringstream out;
  log_verify({folder_.string(), false, 60}, out);
  EXPECT_NE(
      out.str().find("good  run.h5                    damaged, as by a power failure (row 1 differs from what was "
                     "written): compeer resume starts over\n"),
      std::string::npos)
      << out.str();
}

TEST_F(DataLog, VerifyKnowsTheStagesOfARunThatLeftNoSummary) {
  std::filesystem::remove(folder_ / "summary.json");
  record::write_status(folder_, {"running", 2, 2, "", {}, "", 1, 1});
  EXPECT_EQ(failures(), Failures{});
  write_file(folder_ / "stages/01-sage.jsonl", "{}\n");
  EXPECT_EQ(failures(), Failures{"stages: stages/01-sage.jsonl: contains 1 of 2 records"});
}

}  // namespace compeer::app
