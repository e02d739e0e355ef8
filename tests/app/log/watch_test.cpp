#include "app/log/watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "app/log/watch_view.h"
#include "base/error.h"
#include "base/files.h"
#include "places.h"
#include "record/lock.h"
#include "record/run_file.h"
#include "record/status.h"

namespace compeer::app {

namespace {

WatchedRun run(const std::string& name, const std::string& state, std::vector<double> rewards, uint64_t steps) {
  WatchedRun made;
  made.name = name;
  made.state = state;
  made.step = rewards.size();
  made.steps = steps;
  made.elapsed = 75;
  made.phase = "rollout";
  made.columns = {"step", "loss", "reward"};
  for (size_t i = 0; i < rewards.size(); ++i) {
    made.times.push_back(100 + 2.0 * static_cast<double>(i));
    made.values["step"].push_back(static_cast<double>(i + 1));
  }
  made.values["reward"] = std::move(rewards);
  return made;
}

using Lines = std::vector<std::string>;

TEST(Sparkline, ShowsTheCourse) {
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline({0, 0, 1, 1}, 2), "▁█");  // each character is the mean of two values
  EXPECT_EQ(sparkline({5, 5}, 8), "▅▅");
  EXPECT_EQ(sparkline({std::nan(""), 2}, 8), "▅");
  EXPECT_EQ(sparkline({}, 8), "");
  std::vector<double> risen(100, 3.0);
  risen[0] = -1e9;  // outside of the last 64 values, which are shown
  EXPECT_EQ(sparkline(risen, 2), "▅▅");
}

TEST(SecondsLeft, AreAtThePaceOfTheLastRows) {
  auto watched = run("a", "running", {1, 2, 3, 4, 5}, 20);
  EXPECT_DOUBLE_EQ(seconds_left(watched), 15 * 2.0);
  watched.times[0] = -1e6;  // five rows have only four intervals, so all of them count
  EXPECT_DOUBLE_EQ(seconds_left(watched), 15 * (108 + 1e6) / 4);
  watched.state = "stopped";
  EXPECT_TRUE(std::isnan(seconds_left(watched)));
  EXPECT_TRUE(std::isnan(seconds_left(run("a", "running", {1}, 20))));
}

TEST(WatchTable, HasALineForEachRun) {
  const auto lines =
      watch_table({run("first", "running", {0, 1, 2, 3}, 20), run("b", "finished", {7}, 1)}, {{"reward"}, 100, 24});
  EXPECT_EQ(lines, (Lines{"run    state     step  took  left  phase     reward",
                          "first  running   4/20  1:15  0:32  rollout           3 ▁▃▆█",
                          "b      finished   1/1  1:15     -                    7 ▅"}));
}

TEST(WatchTable, NamesColumnsThatDoNotFitAndSaysWhyRunsFailed) {
  auto failed = run("b", "failed", {7}, 1);
  failed.problem = "the disk is full\nreally";
  const auto lines = watch_table({failed}, {{"reward", "loss"}, 66, 24});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[2], "b: the disk is full\\x0areally");
  EXPECT_EQ(lines[3], "columns that do not fit: loss");
  for (const auto& line : watch_table({failed}, {{"reward"}, 10, 24})) EXPECT_LE(line.size(), 10u);
}

TEST(WatchTable, IsNoHigherThanTheTerminal) {
  std::vector<WatchedRun> runs;
  for (int i = 0; i < 30; ++i) runs.push_back(run("r" + std::to_string(i), "running", {1}, 9));
  const auto lines = watch_table(runs, {{"reward"}, 100, 10});
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines[7].substr(0, 3), "r6 ");
  EXPECT_EQ(lines[8], "and 23 more runs");
}

TEST(WatchTable, LeavesNamesNoControlCharacters) {
  const auto lines = watch_table({run("\x1b[2Jevil", "running", {1}, 9)}, {{}, 100, 24});
  EXPECT_EQ(lines[1].substr(0, 14), "\\x1b[2Jevil  r");
}

// The file may come from an untrusted source.
TEST(WatchTable, BelievesAnything) {
  auto odd = run("a", "run\x1b[2Jning", {1e308, -1e308, 1e308}, 9);
  odd.elapsed = 1e300;
  odd.values["step"].clear();
  odd.times = {0, 1e300, -1e300};
  const auto lines = watch_table({odd}, {{"reward"}, 200, 24});
  EXPECT_TRUE(lines[1].starts_with("a    run\\x1b[2Jning")) << lines[1];
  EXPECT_EQ(watch_changes({}, {odd}, {{"reward"}, 80, 24})[0], "a 3/9  reward 1e+308");
}

TEST(WatchNews, AreTheNewestRowThenWhateverIsNew) {
  const WatchView view{{"reward", "loss"}, 80, 24};
  const std::vector<WatchedRun> before = {run("a", "running", {1, 2}, 4)};
  EXPECT_EQ(watch_changes({}, before, view), (Lines{"a 2/4  reward 2", "a: running"}));
  EXPECT_EQ(watch_changes(before, before, view), Lines{});
  auto after = run("a", "failed", {1, 2, 3, 4}, 4);
  after.problem = "no memory";
  EXPECT_EQ(watch_changes(before, {after}, view),
            (Lines{"a 3/4  reward 3", "a 4/4  reward 4", "a: failed after 1:15: no memory"}));
}

TEST(TellingColumns, AreRewardAndLossOrWhatThereIs) {
  EXPECT_EQ(default_columns({run("a", "running", {1}, 9)}), (Lines{"reward", "loss"}));
  auto other = run("a", "running", {1}, 9);
  other.columns = {"step", "x", "y"};
  EXPECT_EQ(default_columns({other}), (Lines{"x", "y"}));
  EXPECT_EQ(default_columns({}), Lines{});
}

TEST(ExitOfWatching, IsThatOfTheRunsThatDidNotFinish) {
  auto finished = run("a", "finished", {}, 1), failed = run("b", "failed", {}, 1), stopped = run("c", "stopped", {}, 1);
  failed.exit = 5;
  EXPECT_EQ(exit_of({finished}), 0);
  EXPECT_EQ(exit_of({finished, failed}), 5);
  EXPECT_EQ(exit_of({failed, stopped}), 1);
  EXPECT_EQ(exit_of({run("d", "preempted", {}, 1)}), 85);
}

/// A run that is written while it is watched: each wait of the watcher writes the next rows.
class Watch : public testing::Test {
 protected:
  Watch() {
    std::string name = (std::filesystem::temp_directory_path() / "compeer-watch-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    writer_ = record::RunWriter::create(folder_ / "run.h5", "{}", {"step", "reward"});
    row(1);
  }
  ~Watch() override { std::filesystem::remove_all(folder_); }

  void row(int step) {
    writer_->append(std::vector<double>{static_cast<double>(step), step / 2.0});
    record::write_status(folder_, {"running", static_cast<uint64_t>(step), 3, "rollout", {}, "", 10.0 * step, 1});
  }
  void end(const std::string& state) {
    writer_->finish(state);
    writer_.reset();
    record::write_status(folder_, {state, 3, 3, "", {}, "", 31, 1});
  }

  int watch(bool terminal, const std::function<bool(int looks)>& wait, std::vector<std::string> columns = {}) {
    WatchTerminal place;
    place.terminal = terminal;
    place.view = [] { return WatchView{{}, 80, 24}; };
    place.wait = [&, looks = 0](double) mutable { return wait(++looks); };
    place.write = [&](std::string_view text) { written_ += text; };
    return log_watch({{folder_.string()}, std::move(columns), 1}, place);
  }
  std::string name() const { return folder_.filename().string(); }

  std::filesystem::path folder_;
  std::optional<record::RunWriter> writer_;
  std::string written_;
};

TEST_F(Watch, GoesOnUntilTheRunHasEnded) {
  const int code = watch(false, [&](int looks) {
    looks == 1 ? row(2) : looks == 2 ? row(3) : end("finished");
    return true;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(written_, name() + " 1/3  reward 0.5\n" + name() + ": running\n" + name() + " 2/3  reward 1\n" + name() +
                          " 3/3  reward 1.5\n" + name() + ": finished after 0:31\n");
}

TEST_F(Watch, DrawsInPlaceOnATerminal) {
  watch(true, [&](int) {
    end("finished");
    return true;
  });
  const auto second = written_.find("\x1b[2F\x1b[J");
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(written_.find("finished", second), std::string::npos);
}

TEST_F(Watch, EndsWhenTheUserHasHadEnough) {
  EXPECT_EQ(watch(false, [](int) { return false; }), 130);
}

TEST_F(Watch, TellsOfARunThatIsGoneWithoutAWord) {
  const int code = watch(false, [&](int) {
    writer_.reset();  // as if the process was killed
    return true;
  });
  EXPECT_EQ(code, 1);
  EXPECT_NE(written_.find(name() + ": stopped after 0:10: its processes have ended; run compeer resume " +
                          folder_.string() + " to continue\n"),
            std::string::npos)
      << written_;
}

// A job script on another host writes its host name into the lock file, and holds the lock while it runs.
TEST_F(Watch, BelievesTheLockAndNotTheNameInIt) {
  write_file(folder_ / ".lock", "17 another-host\n");
  EXPECT_EQ(read_run_state(folder_, {}).state, "running");
  writer_.reset();
  const int lock = ::open((folder_ / ".lock").c_str(), O_RDWR);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  EXPECT_EQ(read_run_state(folder_, {}).state, "running");
  ::close(lock);
  EXPECT_EQ(read_run_state(folder_, {}).state, "stopped");
}

TEST_F(Watch, SeesThatRanksHoldTheSpec) {
  writer_.reset();
  write_file(folder_ / "spec.json", "{}");
  {
    const record::WriterLock held(folder_ / "spec.json");
    EXPECT_EQ(read_run_state(folder_, {}).state, "running");
  }
  EXPECT_EQ(read_run_state(folder_, {}).state, "stopped");
}

/// A run without a process on this host, and a squeue that reports the state of its job.
class WatchedJob : public Watch {
 protected:
  WatchedRun look(const std::string& squeue) {
    writer_.reset();
    write_file(folder_ / "job.json", R"({"job":"17"})");
    write_file(folder_ / "squeue", "#!/bin/sh\n[ \"$3\" = 17 ] && " + squeue + "\n");
    std::filesystem::permissions(folder_ / "squeue", std::filesystem::perms::owner_all);
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", (folder_.string() + ":" + before).c_str(), 1);
    const auto run = read_run_state(folder_, {});
    ::setenv("PATH", before.c_str(), 1);
    return run;
  }
};

TEST_F(WatchedJob, RunsOnAHostWhoseLocksAreNotSeenHere) {
  const auto run = look("echo RUNNING");
  EXPECT_EQ(run.state + ", " + run.phase + ", " + run.problem, "running, job 17: RUNNING, ");
}

TEST_F(WatchedJob, WaitsInTheQueue) {
  const auto run = look("echo PENDING");
  EXPECT_EQ(run.state + ", " + run.phase + ", " + run.problem, "queued, job 17: PENDING, ");
  EXPECT_FALSE(run.ended());
}

TEST_F(WatchedJob, IsDeadOnceTheQueueForgotIt) {
  EXPECT_EQ(look("echo 'slurm_load_jobs error: Invalid job id specified'; exit 1").state, "stopped");
}

TEST_F(Watch, KeepsCancelledRunsApartFromFailedOnes) {
  end("cancelled");
  record::write_failure(folder_, {0, "h", "", {}, "", "job 17 of Slurm ended with exit code 85", "", 85});
  EXPECT_EQ(watch(false, [](int) { return true; }), 85);
  EXPECT_NE(written_.find(": cancelled after 0:31: job 17 of Slurm ended with exit code 85\n"), std::string::npos)
      << written_;
}

TEST_F(Watch, EndsWithTheCodeOfAFailedRun) {
  record::write_failure(folder_, {0, "h", "score", {}, "", "the reward is not a number", "", 5});
  writer_.reset();
  EXPECT_EQ(watch(false, [](int) { return true; }), 5);
  EXPECT_NE(written_.find(": failed after 0:10: the reward is not a number\n"), std::string::npos) << written_;
}

TEST_F(Watch, OfADamagedFileSaysSo) {
  writer_.reset();
  std::filesystem::resize_file(folder_ / "run.h5", 100);
  EXPECT_EQ(watch(false, [](int) { return true; }), 1);
  EXPECT_NE(written_.find(": stopped after 0:10: run.h5: "), std::string::npos) << written_;
}

/// A file in HDF5's old format with one byte changed.
class DamagedWatch : public Watch {
 protected:
  void SetUp() override { end("finished"); }
  void damage(size_t at, char byte) {
    auto bytes = read_file(std::filesystem::path(COMPEER_SOURCE_DIR) / "fuzz/corpus/run_file/old_format.h5");
    bytes[at] = byte;
    write_file(folder_ / "run.h5", bytes);
  }
};

TEST_F(Watch, WaitsForNobodyAtAPipe) {
  end("finished");
  for (const char* name : {"run.h5", "status.json", ".lock"}) {
    std::filesystem::remove(folder_ / name);
    ASSERT_EQ(::mkfifo((folder_ / name).c_str(), 0600), 0);
    const auto run = read_run_state(folder_, {"reward"}, 60);
    EXPECT_EQ(run.state, name == std::string("run.h5") ? "finished" : "stopped");
    EXPECT_EQ(run.problem,
              std::string(name == std::string(".lock") ? "status.json" : name) + ": is a pipe or a device, not a file");
  }
}

// HDF5 1.10 crashes on this byte, refuses it or reads on, depending on the contents of memory.
TEST_F(DamagedWatch, OutlivesACrashOfHdf5) {
  damage(6142, 1);
  const auto run = read_run_state(folder_, {"reward"}, 60);
  EXPECT_EQ(run.state, "finished");
  EXPECT_TRUE(run.problem.empty() || run.problem.starts_with("run.h5: ")) << run.problem;
}

// HDF5 1.10 loops forever on this byte.
TEST_F(DamagedWatch, OutlivesReadingWithoutEnd) {
  damage(691, '\x80');
  const auto run = read_run_state(folder_, {"reward"}, 0.5);
  EXPECT_EQ(run.state, "finished");
  EXPECT_TRUE(run.problem.starts_with("run.h5: ")) << run.problem;
}

TEST_F(Watch, ReadsNumbersAsTheyWereWritten) {
  writer_->append(std::vector<double>{std::nan(""), std::numeric_limits<double>::infinity()});
  writer_->append(std::vector<double>{3, -0.1});
  const auto run = read_run_state(folder_, {"reward", "gone"});
  EXPECT_EQ(run.columns, (Lines{"step", "reward"}));
  EXPECT_EQ(run.rows(), 3u);
  EXPECT_EQ(run.values.at("reward"), (std::vector<double>{0.5, std::numeric_limits<double>::infinity(), -0.1}));
  EXPECT_TRUE(std::isnan(run.values.at("step")[1]));
  EXPECT_EQ(run.values.count("gone"), 0u);
}

TEST_F(Watch, RefusesAColumnThatNoRunHas) {
  try {
    watch(false, [](int) { return true; }, {"rewrad"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    EXPECT_EQ(error.problem(), "no run has a column 'rewrad'");
    EXPECT_EQ(error.help(), "did you mean 'reward'? known: reward, step");
  }
}

}  // namespace

}  // namespace compeer::app
