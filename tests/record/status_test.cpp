#include "record/status.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "base/files.h"
#include "temporary_folder.h"

namespace compeer::record {
namespace {

TEST(Status, GivesBackWhatWasWritten) {
  const TemporaryFolder run;
  EXPECT_FALSE(read_status(run.path()));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_status(run.path(),
               {"running", 17, 100, "rollout", {{"loss", nan}, {"reward", 1.25}}, iso_time(), 2.5, 2, 0.25});
  const auto status = read_status(run.path());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, "running");
  EXPECT_EQ(status->step, 17u);
  EXPECT_EQ(status->steps, 100u);
  EXPECT_EQ(status->phase, "rollout");
  EXPECT_EQ(status->metrics.at("reward"), 1.25);
  EXPECT_TRUE(std::isnan(status->metrics.at("loss")));
  EXPECT_EQ(status->elapsed, 2.5);
  EXPECT_EQ(status->ranks, 2);
  EXPECT_EQ(status->part, 0.25);
  EXPECT_TRUE(std::regex_match(status->started, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
}

TEST(Status, OfAResumedRunCoversItsEarlierPart) {
  const TemporaryFolder run;
  EXPECT_EQ(starting_status(run.path()).elapsed, 0);
  EXPECT_FALSE(starting_status(run.path()).started.empty());
  write_status(run.path(), {"preempted", 17, 100, "rollout", {{"reward", 1.25}}, "2025-03-01T12:34:56Z", 2.5, 2});
  const auto resumed = starting_status(run.path());
  EXPECT_EQ(resumed.state, "starting");
  EXPECT_EQ(resumed.step, 0u);
  EXPECT_EQ(resumed.started, "2025-03-01T12:34:56Z");
  EXPECT_EQ(resumed.elapsed, 2.5);
  for (const std::string damaged : {"", R"({"state": "running"})"}) {
    write_file(run / "status.json", damaged);
    EXPECT_EQ(starting_status(run.path()).elapsed, 0) << damaged;
  }
  write_status(run.path(), {"preempted", 17, 100, "", {}, "2025-03-01T12:34:56Z", 1e300, 2});
  EXPECT_EQ(starting_status(run.path()).elapsed, 0);
}

TEST(Status, LeavesNoOtherFileBehind) {
  const TemporaryFolder run;
  write_status(run.path(), {});
  write_status(run.path(), {});
  write_failure(run.path(), {});
  write_failure(run.path(), {});
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(run.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"error.json", "status.json"}));
}

TEST(Status, FirstFailureStands) {
  const TemporaryFolder run;
  ErrorRecord failure{1, "node7", "score", "rewards/length 1.0.0", "x.jsonl:3", "no field 'text'", "add one", 5};
  EXPECT_TRUE(write_failure(run.path(), failure));
  failure.rank = 0;
  EXPECT_FALSE(write_failure(run.path(), failure));
  EXPECT_EQ(read_failure(run.path())->rank, 1);
  EXPECT_EQ(read_failure(run.path())->plugin, "rewards/length 1.0.0");
  EXPECT_EQ(read_failure(run.path())->exit, 5);
  std::filesystem::remove(run.path() / "error.json");
  failure.plugin.reset();
  failure.what = "bad byte \xff";
  EXPECT_TRUE(write_failure(run.path(), failure));
  EXPECT_FALSE(read_failure(run.path())->plugin);
  EXPECT_EQ(read_failure(run.path())->what, "bad byte \xef\xbf\xbd");
}

// After a power failure a file may exist with empty or zeroed contents.
TEST(Status, WithoutContentsIsNone) {
  const TemporaryFolder folder;
  for (const std::string& contents : {std::string(), std::string(100, '\0')}) {
    write_file(folder / "status.json", contents);
    EXPECT_FALSE(read_status(folder.path()));
  }
}

TEST(Status, FailureWithoutAFolderIsNoError) { EXPECT_FALSE(write_failure("/nonexistent/run", {})); }

TEST(Status, SummaryHasMeansWithIntervals) {
  const TemporaryFolder run;
  write_summary(run.path(), {"evaluate", 4, {{"reward", {1, 0.9, 1.1, 64}}, {"distinct_2", {.mean = 0.5, .n = 1}}}});
  const auto summary = read_summary(run.path());
  EXPECT_EQ(summary->task, "evaluate");
  EXPECT_EQ(summary->steps, 4u);
  EXPECT_EQ(summary->metrics.at("reward").low, 0.9);
  EXPECT_EQ(summary->metrics.at("reward").n, 64);
  EXPECT_EQ(summary->metrics.at("distinct_2").mean, 0.5);
  EXPECT_FALSE(summary->metrics.at("distinct_2").has_interval());
  EXPECT_TRUE(nlohmann::json::parse(read_file(run / "summary.json"))["metrics"]["distinct_2"]["low"].is_null());
}

// Files of earlier versions contain intervals of 1.96 standard errors, although training rows are not independent.
TEST(Status, MeansOverRowsOfTrainingHaveNoInterval) {
  const TemporaryFolder run;
  write_summary(run.path(), {"grpo", 4, {{"reward", {1, 0.9, 1.1, 20}}}});
  const auto reward = read_summary(run.path())->metrics.at("reward");
  EXPECT_EQ(reward.mean, 1);
  EXPECT_EQ(reward.n, 20);
  EXPECT_FALSE(reward.has_interval());
}

TEST(Status, WhatCannotBeUnderstoodIsNamed) {
  const TemporaryFolder run;
  write_file(run / "status.json", R"({"state":"running"})");
  EXPECT_EQ(complaint([&] { read_status(run.path()); }), "status.json: has unexpected contents: key 'step' not found");
  write_file(run / "summary.json", "[]");
  EXPECT_EQ(complaint([&] { read_summary(run.path()); }), "summary.json: is not a JSON object");
}

const std::string length = "rewards/length 1.0.0";

TEST(FailureText, NamesPhasePluginAndPlace) {
  EXPECT_EQ(place_of_failure("score", length, "a.jsonl:3"), "phase score, plugin rewards/length 1.0.0: a.jsonl:3");
  EXPECT_EQ(place_of_failure("score", length, ""), "phase score, plugin rewards/length 1.0.0");
  EXPECT_EQ(place_of_failure("score", "", "a.jsonl:3"), "phase score: a.jsonl:3");
  EXPECT_EQ(place_of_failure("", "", "a.jsonl:3"), "a.jsonl:3");
  EXPECT_EQ(place_of_failure("", "", ""), "");
}

TEST(FailureText, SaysNothingTwice) {
  const std::string where = "step 3, record a/7: rewards/length 1.0.0 (/x/length.so), in score()";
  EXPECT_EQ(place_of_failure("score", length, where), where);
  EXPECT_EQ(place_of_failure("train", length, where), "phase train: " + where);
}

}  // namespace
}  // namespace compeer::record
