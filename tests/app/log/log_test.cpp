#include "app/log/log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <thread>

#include "app/log/figures.h"
#include "base/error.h"
#include "finished_run.h"
#include "record/in_child.h"

namespace compeer::app {
namespace {

TEST_F(Log, ShowPrintsATableAndTheEvents) {
  EXPECT_EQ(show(),
            "step  reward  odd,name\n"
            "   1   0.125         -\n"
            "   2  1234.6    -1e-09\n"
            "info at step 2: checkpoint\\x0awritten\n");
}

TEST_F(Log, ShowSaysWhyARunFailed) {
  record::write_failure(folder_, {1, "h", "score", {}, "", "the endpoint is down", "", 5});
  testing::internal::CaptureStderr();
  show();
  EXPECT_TRUE(testing::internal::GetCapturedStderr().ends_with("\nfailed (exit 5): the endpoint is down\n"));
}

TEST_F(Log, ShowLeavesOutColumnsThatDoNotFitAndRowsNotAskedFor) {
  LogShow options;
  options.width = 12;
  options.last = 1;
  EXPECT_EQ(show(options).substr(0, 26), "step  reward\n   2  1234.6\n");
  options.columns = {"odd,name", "reward"};
  EXPECT_EQ(show(options).substr(0, 34), "odd,name  reward\n  -1e-09  1234.6\n");
}

TEST_F(Log, ShowAllHasEveryColumnAndFigureWithinTheWidth) {
  LogShow options;
  options.all = true;
  options.width = 15;
  EXPECT_EQ(show(options),
            "step  reward\n"
            "   1   0.125\n"
            "   2  1234.6\n"
            "\n"
            "step  odd,name\n"
            "   1         -\n"
            "   2    -1e-09\n"
            "info at step 2: checkpoint\\x0awritten\n"
            "\n"
            "        mean\n"
            "reward   617\n");
  options.width = 0;  // not a terminal
  EXPECT_EQ(show(options).substr(0, 23), "step  reward  odd,name\n");
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
  try {
    find_run("nowhere");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "no such run: neither nowhere nor results/nowhere is a folder in " +
                                   std::filesystem::current_path().string());
    EXPECT_TRUE(error.help().ends_with("if its results are elsewhere, name its folder: PATH/nowhere")) << error.help();
    EXPECT_EQ(error.exit(), Exit::data);
  }
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

TEST_F(Log, FindRunSuggestsRunsAlone) {
  std::filesystem::create_directories(folder_ / "results/.stages");
  std::filesystem::create_directories(folder_ / "results/tiny");
  std::filesystem::copy(folder_ / "spec.json", folder_ / "results/tiny/spec.json");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  try {
    find_run("nothing-like-it");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.help(), "known: tiny; if its results are elsewhere, name its folder: PATH/nothing-like-it");
  }
  std::filesystem::create_directories("results/quick/small");
  std::filesystem::copy("results/tiny/spec.json", "results/quick/small/spec.json");
  try {
    find_run("small");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "small: no such run in results\n  help: did you mean 'results/quick/small'?");
  }
  std::filesystem::current_path(before);
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

TEST(InChild, GivesTheResultOrWhatWentWrong) {
  EXPECT_EQ(record::in_child([] { return std::string(200'000, 'x'); }, 60).output.size(), 200'000u);
  EXPECT_EQ(record::in_child([]() -> std::string { throw Error("here", "is wrong", ""); }, 60).problem, "is wrong");
  EXPECT_EQ(record::in_child([]() -> std::string { throw std::runtime_error("odd"); }, 60).problem, "odd");
  EXPECT_EQ(record::in_child(
                []() -> std::string {
                  ::raise(SIGKILL);
                  return "";
                },
                60)
                .problem,
            "reading it crashed (Killed)");
  const auto endless = record::in_child(
      []() -> std::string {
        while (true) ::pause();
      },
      0.01);
  EXPECT_EQ(endless.problem, "took longer than 0.01 seconds");
  // A library may end the process; the missing result must be an error, not an empty answer.
  EXPECT_EQ(record::in_child([]() -> std::string { ::_exit(3); }, 60).problem, "reading it ended with code 3");
}

TEST(WriteFromChild, HandsOnWhatWasWrittenAndErrorsAsTheyWere) {
  std::ostringstream out;
  record::write_from_child(
      "run", 60, [](std::ostream& text) { text << "row " << 1 << '\n'; }, out);
  EXPECT_EQ(out.str(), "row 1\n");
  try {
    record::write_from_child(
        "run", 60, [](std::ostream&) { throw Error("--step", "no such step", "there are 3", Exit::usage); }, out);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where() + "|" + error.problem() + "|" + error.help(), "--step|no such step|there are 3");
    EXPECT_EQ(error.exit(), Exit::usage);
  }
  try {
    record::write_from_child(
        "run", 60, [](std::ostream&) { ::raise(SIGKILL); }, out);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where() + "|" + error.problem(), "run|can't be read: reading it crashed (Killed)");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  EXPECT_EQ(out.str(), "row 1\n");
}

// Returns "group/name" of the chosen metrics, in order.
std::vector<std::string> chosen(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const auto& [group, name] : key_figures(names)) found.push_back(group + ": " + name);
  return found;
}
using Names = std::vector<std::string>;

TEST(KeyFigures, OfTrainingByGrpoAreTenOfMany) {
  EXPECT_EQ(chosen({"step",
                    "reward",
                    "reward_std",
                    "rewards/a/score",
                    "rewards/a/score_std",
                    "rewards/b/part",
                    "rewards/b/part_share",
                    "group_std",
                    "zero_variance",
                    "length",
                    "truncated",
                    "entropy",
                    "distinct_1",
                    "distinct_2",
                    "loss",
                    "grad_norm",
                    "lr",
                    "tokens_per_second",
                    "peak_memory",
                    "seconds/rollout",
                    "seconds/step"}),
            (Names{"result: reward", "policy: entropy", "policy: zero_variance", "completions: length",
                   "completions: truncated", "completions: distinct_2", "cost: seconds/step", "result: rewards/a/score",
                   "result: rewards/b/part", "result: loss"}));
}

TEST(KeyFigures, OfSupervisedTrainingAreAllThatItHas) {
  EXPECT_EQ(chosen({"step", "loss", "grad_norm", "lr", "tokens", "tokens_per_second", "seconds/read", "seconds/train",
                    "seconds/reduce", "seconds/step"}),
            (Names{"cost: seconds/step", "result: loss", "policy: grad_norm", "cost: tokens_per_second", "policy: lr",
                   "other: tokens", "other: seconds/read", "other: seconds/train", "other: seconds/reduce"}));
}

TEST(KeyFigures, OfMetricsThatNobodyKnowsAreTheFirst) {
  Names many;
  for (int i = 0; i < 20; ++i) many.push_back("m" + std::to_string(i));
  EXPECT_EQ(chosen(many).size(), 10u);
  EXPECT_EQ(chosen({"in", "out"}), (Names{"other: in", "other: out"}));
}

TEST(FiguresText, StandsUnderHeadingsWithUnitsAndIntervals) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<RunFigure> figures{{"kl", none, none, none, 0},
                                       {"length", 23.125, 20, 26.5, 8},
                                       {"reward", 0.5, none, none, 8},
                                       {"truncated", 0.125, 0.1, 0.15, 8}};
  EXPECT_EQ(figures_text(figures),
            "              mean         95% interval\n"
            "result\n"
            "  reward       0.5\n"
            "policy\n"
            "  kl             - nats\n"
            "completions\n"
            "  length     23.12 tokens  20 .. 26.5\n"
            "  truncated   12.5 %       10 .. 15\n");
  EXPECT_EQ(figures_text({figures[2]}, true), "        mean\nreward   0.5\n");
}

}  // namespace
}  // namespace compeer::app
