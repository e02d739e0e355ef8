#include "report/runs/load.h"

#include "../sample_runs.h"
#include "base/error.h"
#include "base/files.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/status.h"
#include "report/report.h"
#include "results_folder.h"

namespace compeer::report {
namespace {

class Load : public ResultsFolder {
 protected:
  /// Writes the results of a run: `rows` rows, two rollout groups per step, and (if it finished) a summary.
  fs::path write_run(const std::string& name, const std::string& task, int rows, bool finished = true) {
    const fs::path folder = root_ / name;
    fs::create_directories(folder);
    auto values = sample::spec(folder.filename().string(), task, "", "none");
    values["record"]["rollouts"] = true;
    values[task].update({{"group_size", 2}, {"batch", 2}});
    const nlohmann::json spec = file_of(values);
    write_file(folder / "spec.json", spec.dump());
    auto writer = record::RunWriter::create(folder / "run.h5", spec.dump(), {"step", "reward", "loss"});
    record::RolloutWriter rollouts(folder / "rollouts", 0, {"reward", "advantage"});
    for (int step = 1; step <= rows; ++step) {
      const double row[] = {static_cast<double>(step), 0.1 * step, step == 2 ? NAN : 1.0 / step};
      writer.append(row);
      rollouts.append(rollout_rows(step));
    }
    writer.event(2, "warning", "a group was dropped");
    if (finished) writer.finish("finished"), rollouts.finish();
    record::Status status;
    status.state = finished ? "finished" : "running";
    status.step = rows;
    status.steps = 30;
    status.started = "2025-03-01T12:34:56Z";
    status.elapsed = 12.5;
    status.ranks = 2;
    record::write_status(folder, status);
    if (finished)
      record::write_summary(folder, {task, static_cast<uint64_t>(rows), {{"reward", {2.5, 2.4, 2.6, 2 * rows}}}});
    return folder;
  }

  /// Changes spec.json; `fitting`: updates its hash, too.
  static void change_spec(const fs::path& folder, const std::function<void(nlohmann::json&)>& change,
                          bool fitting = false) {
    auto file = nlohmann::json::parse(read_file(folder / "spec.json"));
    change(file["spec"]);
    write_file(folder / "spec.json", fitting ? file_of(file["spec"]).dump() : file.dump());
  }

  static std::vector<record::RolloutRow> rollout_rows(int step) {
    std::vector<record::RolloutRow> rows;
    for (uint64_t prompt = 0; prompt < 2; ++prompt) {
      for (uint64_t i = 0; i < 2; ++i) {
        record::RolloutRow row;
        row.step = step;
        row.prompt = prompt;
        row.completion = i;
        row.example_id = "example-" + std::to_string(2 * step + static_cast<int>(prompt));
        row.prompt_text = "Hello";
        row.prompt_tokens = {1, 2};
        row.text = "<emotion>sad</emotion> <script src=1> 你好";
        row.tokens = {3, 4, 5};
        row.logprobs = {-1, -2, -3};
        row.values = {static_cast<double>(prompt + i), 0.5};
        row.finished = i == 0;
        rows.push_back(row);
      }
    }
    return rows;
  }
};

TEST_F(Load, ReadsAFinishedRun) {
  const RunData run = load_run(write_run("r", "grpo", 30));
  EXPECT_EQ(run.name, "r");
  EXPECT_EQ(run.task, "grpo");
  EXPECT_EQ(run.state, "finished");
  EXPECT_EQ(run.steps_planned, 30);
  EXPECT_EQ(run.ranks, 2);
  EXPECT_EQ(run.elapsed, 12.5);
  EXPECT_EQ(run.recorded, (std::vector<std::string>{"step", "reward", "loss"}));
  EXPECT_NEAR((*run.column("reward"))[29], 3.0, 1e-12);
  EXPECT_TRUE(std::isnan((*run.column("loss"))[1]));
  EXPECT_FALSE(run.estimate("reward").has_interval());  // training rows are not independent
  EXPECT_EQ(run.warnings, (std::vector<std::string>{"step 2, warning: a group was dropped"}));
  EXPECT_TRUE(run.problems.empty());
}

TEST_F(Load, TakesTheStateOfARunFileThatEnded) {
  const auto folder = write_run("r", "grpo", 30);
  auto status = *record::read_status(folder);
  for (const char* going_on : {"starting", "running"}) {
    status.state = going_on;
    record::write_status(folder, status);
    EXPECT_EQ(load_run(folder).state, "finished") << going_on;
  }
}

TEST_F(Load, KeepsGroupsOfTheFirstAndTheLastStepOfTraining) {
  const RunData run = load_run(write_run("r", "grpo", 30));
  ASSERT_EQ(run.groups.size(), 4u);
  EXPECT_EQ(run.groups[0].step, 1);
  EXPECT_EQ(run.groups[3].step, 30);
  ASSERT_EQ(run.groups[0].completions.size(), 2u);
  EXPECT_EQ(run.groups[0].completions[1].tokens, 3);
  EXPECT_FALSE(run.groups[0].completions[1].finished);
  EXPECT_EQ(run.groups[1].completions[1].values[0], (std::pair<std::string, double>{"reward", 2}));
}

TEST_F(Load, KeepsMeansOfEachPromptOfAnEvaluation) {
  const RunData run = load_run(write_run("r", "evaluate", 30));
  EXPECT_EQ(run.groups.size(), 24u);
  const auto& means = run.per_prompt.at("reward");
  EXPECT_EQ(means.size(), 60u);
  EXPECT_EQ(means.at("example-2"), 0.5);  // rewards 0 and 1
  EXPECT_EQ(means.at("example-3"), 1.5);  // rewards 1 and 2
}

TEST_F(Load, TellsARunThatStoppedWithoutAnEnd) {
  const RunData run = load_run(write_run("r", "grpo", 3, false));
  EXPECT_EQ(run.state, "stopped");
  EXPECT_NEAR(run.estimate("reward").mean, 0.2, 1e-12);  // from its rows, because there is no summary
  EXPECT_FALSE(run.estimate("reward").has_interval());
}

TEST_F(Load, ReadsTheReasonOfAFailure) {
  const auto folder = write_run("r", "grpo", 3, false);
  record::write_failure(folder,
                        {1, "node7", "score", "rewards/length 1.0.0", "", "target is negative", "make it positive", 5});
  const RunData run = load_run(folder);
  EXPECT_EQ(run.state, "failed");
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->rank, 1);
  EXPECT_EQ(run.failure->plugin, "rewards/length 1.0.0");
  EXPECT_EQ(run.host, "node7");
}

TEST_F(Load, NamesWhatItCantRead) {
  const fs::path folder = root_ / "r";
  fs::create_directories(folder);
  write_file(folder / "run.h5", "no HDF5");
  write_file(folder / "spec.json", "{");
  const RunData run = load_run(folder);
  EXPECT_EQ(run.name, "r");
  ASSERT_GE(run.problems.size(), 3u);
  EXPECT_TRUE(run.problems[0].starts_with("spec.json: ")) << run.problems[0];
  EXPECT_TRUE(run.problems[1].starts_with("run.h5: ")) << run.problems[1];
  EXPECT_EQ(run.problems[2], "status.json: missing");
}

TEST_F(Load, SaysThatASpecWasChangedAndShowsTheCopyThatRan) {
  const auto folder = write_run("r", "grpo", 3);
  change_spec(folder, [](nlohmann::json& spec) { spec["grpo"]["clip"] = 0.9; });
  const RunData run = load_run(folder);
  EXPECT_EQ(run.problems, (std::vector<std::string>{"spec.json: was modified after it was written: SHA-256 "
                                                    "mismatch; the copy in run.h5 is shown"}));
  EXPECT_EQ(run.spec["grpo"]["clip"], 0.2);
}

TEST_F(Load, ShowsAChangedSpecIfThereIsNoCopy) {
  const auto folder = write_run("r", "grpo", 3);
  change_spec(folder, [](nlohmann::json& spec) { spec["grpo"]["clip"] = 0.9; });
  fs::remove(folder / "run.h5");
  const RunData run = load_run(folder);
  EXPECT_EQ(run.problems.front(), "spec.json: was modified after it was written: SHA-256 mismatch");
  EXPECT_EQ(run.spec["grpo"]["clip"], 0.9);
}

TEST_F(Load, SaysThatSpecAndRowsAreOfDifferentRuns) {
  const auto folder = write_run("r", "grpo", 3);
  change_spec(
      folder, [](nlohmann::json& spec) { spec["grpo"]["clip"] = 0.9; }, true);
  EXPECT_EQ(load_run(folder).problems,
            (std::vector<std::string>{"run.h5: was written for another spec than spec.json"}));
}

TEST_F(Load, ReadsSettingsOfTheVersionBeforeByTheirPresentNames) {
  const auto folder = write_run("run", "grpo", 3);
  change_spec(
      folder, [](nlohmann::json& spec) { spec["grpo"]["together"] = 2; }, true);
  const auto run = load_run(folder);
  EXPECT_EQ(run.spec["grpo"]["groups_per_reduction"], 2);
  EXPECT_FALSE(run.spec["grpo"].contains("together"));
  EXPECT_EQ(run.problems, std::vector<std::string>{"run.h5: was written for another spec than spec.json"});
}

TEST_F(Load, RemarksOnChangesAfterTheRunBegan) {
  const auto folder = write_run("r", "grpo", 3);
  const auto before = nlohmann::json::parse(read_file(folder / "spec.json")).at("sha256").get<std::string>();
  change_spec(
      folder, [](nlohmann::json& spec) { spec["grpo"]["steps"] = 9; }, true);
  auto file = nlohmann::json::parse(read_file(folder / "spec.json"));
  const nlohmann::json both = {{"spec_before", before}, {"spec_after", file.at("sha256")}};
  nlohmann::json steps = {{"step", 3}, {"what", "grpo.steps"}, {"before", 3}, {"after", 9}};
  nlohmann::json plugin = {{"step", 5}, {"what", "plugin rewards/length"}, {"before", "aa"}, {"after", "bb"}};
  steps.update(both), plugin.update(both);
  file["history"] = {steps, plugin};
  write_file(folder / "spec.json", file.dump());
  const RunData run = load_run(folder);
  EXPECT_EQ(run.problems, std::vector<std::string>());
  ASSERT_EQ(run.remarks.size(), 2u);
  EXPECT_TRUE(
      run.remarks[0].starts_with("after step 3 grpo.steps was changed from 3 to 9 (spec " + before.substr(0, 16)));
  EXPECT_EQ(run.remarks[1],
            "after step 5 the plugin rewards/length was replaced by another build (SHA-256 aa... before, bb... after)");
  file["history"] = 1;
  write_file(folder / "spec.json", file.dump());
  EXPECT_EQ(load_run(folder).problems.size(), 2u);
}

TEST_F(Load, NamesRolloutsThatAreGone) {
  const auto all = write_run("all", "grpo", 3), some = write_run("some", "evaluate", 30),
             none = write_run("none", "grpo", 3);
  fs::remove_all(all / "rollouts");
  EXPECT_EQ(load_run(all).problems, (std::vector<std::string>{"rollouts: missing, though the run recorded them"}));
  record::RolloutWriter(some / "rollouts", 0, {"reward", "advantage"}).resume(29, 1);
  EXPECT_EQ(load_run(some).problems, (std::vector<std::string>{"rollouts: 4 of 120 completions are missing"}));
  fs::remove_all(none / "rollouts");
  change_spec(
      none, [](nlohmann::json& spec) { spec["record"]["rollouts"] = false; }, true);
  for (const auto& problem : load_run(none).problems) EXPECT_EQ(problem.find("rollouts"), std::string::npos) << problem;
}

TEST_F(Load, RemarksOnAnEarlyEndAndOnRecordsThatWereNotUsedWhole) {
  const auto folder = write_run("r", "sft", 12);
  auto writer = record::RunWriter::resume(folder / "run.h5", 12, {"step", "reward", "loss"});
  writer.event(12, "info", "ended after step 12 of 20: no better validation/loss since step 6");
  writer.finish("finished");
  record::Summary summary{"sft", 12, {{"loss", {2.5, NAN, NAN, 12}}}};
  summary.details["data"] = {
      {"unreadable", 1},
      {"splits",
       {{{"split", "train"}, {"records", 96}, {"trimmed", 3}, {"skipped", 1}, {"unanswered", 0}},
        {{"split", "valid"}, {"records", 64}, {"trimmed", 0}, {"skipped", 0}, {"unanswered", 0}}}}};
  record::write_summary(folder, summary);
  EXPECT_EQ(load_run(folder).remarks,
            (std::vector<std::string>{"ended after step 12 of 20: no better validation/loss since step 6",
                                      "data set: 1 unreadable records",
                                      "split 'train': 96 records, 3 too long and trimmed, 1 too long and skipped"}));
  summary.details["data"] = {{"unreadable", "many"},
                             {"splits", {{{"split", 1}}, "train", {{"split", "x"}, {"trimmed", "y"}}}}};
  record::write_summary(folder, summary);
  EXPECT_EQ(load_run(folder).remarks.size(), 1u);
}

// A killed run: rows, but no summary.
TEST_F(Load, FindsTheBestLookSoFar) {
  const fs::path folder = root_ / "r";
  fs::create_directories(folder);
  auto values = sample::spec("r", "sft", "", "none");
  for (const auto& [better, best] : std::vector<std::pair<nlohmann::json, double>>{{nullptr, 4}, {"higher", 6}}) {
    values["validation"] = {{"better", better}};
    write_file(folder / "spec.json", file_of(values).dump());
    {
      auto writer = record::RunWriter::create(folder / "run.h5", file_of(values).dump(),
                                              {"step", "validation/loss", "validation/x"});
      for (int step = 1; step <= 6; ++step) {
        const double look[] = {2.5, 1.94, 3.5},
                     row[] = {double(step), step % 2 ? NAN : look[step / 2 - 1], double(step)};
        writer.append(row);
      }
    }
    const RunData run = load_run(folder);
    EXPECT_EQ(run.estimate("validation/best_step").mean, best);
    EXPECT_EQ(run.estimate("validation/loss").mean, best == 4 ? 1.94 : 3.5);
    EXPECT_EQ(run.estimate("validation/x").mean, best);
  }
}

// The spec may come from an untrusted source: copying such a value would overflow the stack of a thread.
TEST_F(Load, TakesNoSpecThatNestsTooDeeply) {
  const fs::path folder = root_ / "r";
  fs::create_directories(folder);
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += R"({"spec":)";
  write_file(folder / "spec.json", deep + "1" + std::string(200'000, '}'));
  EXPECT_EQ(load_run(folder).problems[0], "spec.json: is not JSON");
}

TEST_F(Load, KnowsTheSpecsOfRunsThatItUsed) {
  fs::create_directories(root_ / "results");
  write_run("results/start", "sft", 1);
  write_run("results/measured", "data", 1);
  auto folder = write_run("results/child", "grpo", 1);
  const auto change = [](nlohmann::json& spec) {
    spec["model"]["path"] = "results/start/checkpoints/last";
    spec["reference"] = "results/gone/checkpoints/last";
    spec["rewards"] = {{{"accuracy", "results/measured"}, {"plugin", "measured"}}};
  };
  change_spec(folder, change, true);
  const RunData run = load_run(folder);
  ASSERT_EQ(run.used_specs.size(), 2u);
  EXPECT_EQ(run.used_specs.at("results/measured")["task"], "data");
  EXPECT_EQ(run.used_specs.at("results/start/checkpoints/last")["task"], "sft");
}

TEST_F(Load, FindsTheRunsOfAFolder) {
  write_run("b", "sft", 1);
  write_run("a", "sft", 1);
  fs::create_directories(root_ / "notes");
  fs::copy(root_ / "a", root_ / "a~1");  // renamed by --fresh: not part of its successor
  const auto found = find_runs({root_, root_ / "a"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(find_runs({root_ / "a~1"}).size(), 1u);
  EXPECT_EQ(found[0].filename(), "a");
  EXPECT_EQ(found[1].filename(), "b");
}

TEST_F(Load, RefusesFoldersWithoutRuns) {
  try {
    find_runs({root_});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "no run in this folder");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  try {
    find_runs({root_ / "nowhere"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "does not exist");
  }
}

TEST_F(Load, RefusesAFolderAsTheOutput) {
  write_run("r", "sft", 1);
  try {
    write_report({root_}, root_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "is a folder, not a file for the page");
    EXPECT_EQ(error.exit(), Exit::data);
  }
}

TEST_F(Load, TellsRunsOfOneNameApart) {
  write_run("a", "sft", 1);
  fs::copy(root_ / "a", root_ / "b", fs::copy_options::recursive);
  const auto written = write_report({root_}, root_ / "report.html");
  EXPECT_EQ(written.runs, (std::vector<std::string>{"a (a)", "a (b)"}));
}

TEST_F(Load, WritesOnePageAndTellsWhatIsOnIt) {
  write_run("good", "grpo", 30);
  write_run("short", "grpo", 3, false);
  const fs::path output = root_ / "pages" / "report.html";
  const WrittenReport written = write_report({root_}, output, {"两个实验"});
  EXPECT_EQ(written.runs, (std::vector<std::string>{"good", "short"}));
  EXPECT_EQ(written.bytes, fs::file_size(output));
  EXPECT_EQ(written.notices.size(), 3u);  // two warnings, one unfinished run
  const std::string html = read_file(output);
  EXPECT_NE(html.find("<h1>两个实验</h1>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script src=1&gt; 你好"), std::string::npos);
  EXPECT_NE(html.find("short: ended without recording an error (killed, or its machine stopped) at step 3 of 30."),
            std::string::npos);
}

}  // namespace
}  // namespace compeer::report
