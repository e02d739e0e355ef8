#include "app/log/log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/log/in_child.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "record/checkpoint.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/status.h"

namespace compeer::app {

namespace {

using nlohmann::json;

/// A finished run of two steps, two prompts each, two completions each; with a checkpoint.
class Log : public testing::Test {
 protected:
  Log() {
    std::string name = (std::filesystem::temp_directory_path() / "compeer-log-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    const json spec = {{"name", "tiny"}, {"task", "grpo"}, {"grpo", {{"batch", 2}, {"group_size", 2}}}};
    const json file = {{"format", 1},
                       {"sha256", sha256(spec.dump())},
                       {"spec", spec},
                       {"origins", json::object()},
                       {"plugins", json::array()},
                       {"sources", json::object()}};
    write_file(folder_ / "spec.json", file.dump());
    auto run = record::RunWriter::create(folder_ / "run.h5", file.dump(), {"step", "reward", "odd,name"});
    run.append(std::vector<double>{1, 0.125, std::numeric_limits<double>::quiet_NaN()});
    run.append(std::vector<double>{2, 1234.5678, -1e-9});
    run.event(2, "info", "checkpoint\nwritten");
    run.finish("finished");
    record::RolloutWriter rollouts(folder_ / "rollouts", 0, {"reward"});
    rollouts.append(rows(1));
    rollouts.append(rows(2));
    rollouts.finish();
    record::CheckpointWriter checkpoint(folder_, 2);
    write_file(checkpoint.folder() / "model.safetensors", "weights");
    checkpoint.commit({{"step", 2}});
    record::write_status(folder_, {"finished", 2, 2, "", {}, "", 1, 1});
  }
  ~Log() override { std::filesystem::remove_all(folder_); }

  static std::vector<record::RolloutRow> rows(uint64_t step) {
    std::vector<record::RolloutRow> made(4);
    for (uint64_t i = 0; i < 4; ++i) {
      made[i].step = step;
      made[i].prompt = i / 2;
      made[i].completion = i % 2;
      made[i].values = {1};
    }
    return made;
  }

  std::string show(LogShow options = {}) {
    options.run = folder_.string();
    std::ostringstream out;
    EXPECT_EQ(log_show(options, out), 0);
    return out.str();
  }

  // The checks that fail, as "what: detail"; checks the exit code too.
  std::vector<std::string> failures() {
    std::ostringstream out;
    const int code = log_verify({folder_.string(), true, 60}, out);
    const json report = json::parse(out.str());
    std::vector<std::string> found;
    for (const auto& check : report["checks"])
      if (!check["good"]) found.push_back(check["what"].get<std::string>() + ": " + check["detail"].get<std::string>());
    EXPECT_EQ(code, found.empty() ? 0 : 4);
    EXPECT_EQ(report["good"], found.empty());
    return found;
  }
  using Failures = std::vector<std::string>;

  void flip_byte(const std::filesystem::path& file, size_t at) {
    std::string bytes = read_file(file);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write_file(file, bytes);
  }

  std::filesystem::path folder_;
};

}  // namespace

TEST_F(Log, ShowPrintsATableAndTheEvents) {
  EXPECT_EQ(show(),
            "step  reward  odd,name\n"
            "   1   0.125         -\n"
            "   2  1234.6    -1e-09\n"
            "info at step 2: checkpoint\\x0awritten\n");
}

TEST_F(Log, ShowLeavesOutColumnsThatDoNotFitAndRowsNotAskedFor) {
  LogShow options;
  options.width = 12;
  options.last = 1;
  EXPECT_EQ(show(options).substr(0, 26), "step  reward\n   2  1234.6\n");
  options.columns = {"odd,name", "reward"};
  EXPECT_EQ(show(options).substr(0, 34), "odd,name  reward\n  -1e-09  1234.6\n");
}

TEST_F(Log, ShowAsJsonHasEverything) {
  LogShow options;
  options.json = true;
  const json all = json::parse(show(options));
  EXPECT_EQ(all["status"], "finished");
  EXPECT_EQ(all["live"], false);
  EXPECT_EQ(all["rows"], 2);
  EXPECT_EQ(all["columns"]["reward"], (json{0.125, 1234.5678}));
  EXPECT_EQ(all["columns"]["odd,name"], (json{nullptr, -1e-9}));
  EXPECT_EQ(all["times"].size(), 2u);
  EXPECT_EQ(all["events"][0]["text"], "checkpoint\nwritten");
}

TEST_F(Log, ShowSuggestsTheNearestColumn) {
  LogShow options;
  options.columns = {"rewrad"};
  try {
    show(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    EXPECT_EQ(error.problem(), "no column 'rewrad'");
    EXPECT_EQ(error.help(), "did you mean 'reward'? known: step, reward, odd,name");
  }
}

TEST_F(Log, RunIsAFolderOrItsFileAndAnythingElseIsAnError) {
  EXPECT_EQ(find_run(folder_.string()), folder_);
  EXPECT_EQ(find_run((folder_ / "run.h5").string()), folder_);
  EXPECT_THROW(find_run("no-such-run"), Error);
  EXPECT_THROW(find_run(""), Error);
  std::filesystem::remove(folder_ / "run.h5");
  record::write_failure(folder_, {0, "h", "start", {}, "", "no such model", "", 4});
  try {
    show();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "has no run.h5, so nothing was recorded yet");
    EXPECT_EQ(error.help(), "the run failed: no such model");
  }
}

TEST_F(Log, ExportsCsvWithExactNumbersAndEmptyFields) {
  std::ostringstream out;
  EXPECT_EQ(log_export({{folder_.string()}, "-"}, out), 0);
  EXPECT_EQ(out.str(), "step,reward,\"odd,name\"\n1,0.125,\n2,1234.5678,-1e-09\n");
  EXPECT_EQ(log_export({{folder_.string()}, (folder_ / "rows.csv").string()}, out), 0);
  EXPECT_EQ(read_file(folder_ / "rows.csv"), out.str());
  EXPECT_THROW(log_export({{folder_.string()}}, out), Error);
}

TEST_F(Log, ExportsAFileForTensorBoard) {
  std::ostringstream out;
  EXPECT_EQ(log_export({{folder_.string()}, "", "", (folder_ / "events").string()}, out), 0);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "events")) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("events.out.tfevents."));
    ++files;
  }
  EXPECT_EQ(files, 1u);
}

TEST_F(Log, VerifyFindsNothingWrongWithAWholeRun) {
  EXPECT_EQ(failures(), Failures{});
  std::ostringstream out;
  EXPECT_EQ(log_verify({folder_.string(), false, 60}, out), 0);
  EXPECT_NE(out.str().find("good  run.h5                    2 rows, 3 columns, 1 events, finished\n"),
            std::string::npos);
  EXPECT_NE(out.str().find("good  rollouts                  2 steps, 8 completions\n"), std::string::npos);
}

TEST_F(Log, VerifyFindsAChangedWeight) {
  flip_byte(folder_ / "checkpoints/step-000002/model.safetensors", 3);
  EXPECT_EQ(failures(), Failures{"checkpoints/step-000002: model.safetensors has other contents than were written"});
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
  EXPECT_EQ(failures(), Failures{"rollouts: step 3 has 1 of 2 prompts"});
}

TEST_F(Log, VerifyFindsARunFileOfAnotherSpec) {
  auto run = record::RunWriter::create(folder_ / "run.h5", R"({"sha256":"0"})", {"step"});
  run.append(std::vector<double>{1});
  run.append(std::vector<double>{2});
  run.finish("finished");
  EXPECT_EQ(failures(), Failures{"run.h5: is of another spec than spec.json"});
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

TEST(InChild, GivesTheResultOrWhatWentWrong) {
  EXPECT_EQ(in_child([] { return std::string(200'000, 'x'); }, 60).output.size(), 200'000u);
  EXPECT_EQ(in_child([]() -> std::string { throw Error("here", "is wrong", ""); }, 60).problem, "is wrong");
  EXPECT_EQ(in_child([]() -> std::string { throw std::runtime_error("odd"); }, 60).problem, "odd");
  EXPECT_EQ(in_child(
                []() -> std::string {
                  ::raise(SIGKILL);
                  return "";
                },
                60)
                .problem,
            "reading it crashed (Killed)");
  const auto endless = in_child(
      []() -> std::string {
        while (true) ::pause();
      },
      0.01);
  EXPECT_EQ(endless.problem, "took longer than 0.01 seconds");
  // As a library may end a process: its silence must not pass for an empty answer.
  EXPECT_EQ(in_child([]() -> std::string { ::_exit(3); }, 60).problem, "reading it ended with code 3");
}

TEST(WriteFromChild, HandsOnWhatWasWrittenAndErrorsAsTheyWere) {
  std::ostringstream out;
  write_from_child(
      "run", 60, [](std::ostream& text) { text << "row " << 1 << '\n'; }, out);
  EXPECT_EQ(out.str(), "row 1\n");
  try {
    write_from_child(
        "run", 60, [](std::ostream&) { throw Error("--step", "no such step", "there are 3", Exit::usage); }, out);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where() + "|" + error.problem() + "|" + error.help(), "--step|no such step|there are 3");
    EXPECT_EQ(error.exit(), Exit::usage);
  }
  try {
    write_from_child(
        "run", 60, [](std::ostream&) { ::raise(SIGKILL); }, out);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where() + "|" + error.problem(), "run|can't be read: reading it crashed (Killed)");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  EXPECT_EQ(out.str(), "row 1\n");
}

}  // namespace compeer::app
