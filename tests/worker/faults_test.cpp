// Every kind of failure of a rank, in worlds of 1, 2 and 4 ranks: the job ends on all ranks, soon, with the documented
// exit code; error.json names the rank, the phase and the cause; no process is left behind.
#include "worker/faults.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>
#include <semaphore>

#include "job.h"
#include "record/lock.h"

namespace compeer::test {
namespace {

struct Wrong {
  std::string fault;
  int alone;     // exit code without a launcher; -1: this fault is not tested without one
  int together;  // exit code of mpirun
  std::string what;
  std::string plugin = {};
  std::string phase = "score";
  double watchdog = 60;
  std::string help = {};
  std::vector<std::string> stack = {};  // parts of its stack trace, where addr2line is installed
};

const std::string length = "rewards/length 1.0.0";

const std::vector<Wrong> all_wrongs = {
    {"throw", 5, 5, "no such score", length},
    {"throw error", 4, 4, "no 'text'", length},
    {"throw alone", 1, 1, "out of luck"},
    {"exit 0", 5, 5, "exit(0) was called during the run", length},
    {"exit 3", 1, 1, "exit(3) was called during the run"},
    {"quick exit", -1, 1, "ended without reporting an error", length},
    {"segv", 139, 139, "signal 11 (segmentation fault)"},
    {"overflow",
     5,
     5,
     "signal 11 (segmentation fault)",
     length,
     "score",
     60,
     "see the stack trace in the log",
     {"\n  ", "worker_stub+0x", "  compeer::worker::(anonymous namespace)::overflow(int)", " times)\n"}},
    {"abort", 134, 134, "signal 6 (abort)"},
    {"terminate", 5, 5, "uncaught exception: in a thread", length},
    {"kill", -1, 137, "ended without reporting an error", length},
    {"stop", -1, 86, "is stopped by a signal", length, "score", 1,
     "it was stopped from outside (kill -STOP, Ctrl-Z, a debugger); resume the run"},
    {"loop",
     86,
     86,
     "no progress for 1 s",
     length,
     "score",
     1,
     "it hangs, or watchdog.seconds (1 s) is too short for this work",
     {"the main thread is at\n  ", "  compeer::worker::(anonymous namespace)::loop()"}},
    {"return early", -1, 1, "has left its task while rank", "", ""},
    {"wait for nothing", -1, 86, "has waited", "", "update", 1},
};

nlohmann::json spec_of(const Wrong& wrong, int ranks, int culprit) {
  return {{"format", 1},
          {"spec", {{"ranks", ranks}, {"watchdog", {{"seconds", wrong.watchdog}}}}},
          {"stub", {{"fault", wrong.fault}, {"rank", culprit}, {"plugin", wrong.plugin}}}};
}

const bool can_name_functions = std::system("addr2line --version >/dev/null 2>&1") == 0;

struct Outcome {
  int exit = -1;
  nlohmann::json error;
  std::string output;
  bool clean = false;
};

Outcome outcome_of(const Wrong& wrong, int ranks, int culprit) {
  static std::counting_semaphore<> places(8);  // concurrent jobs; most of their time they wait
  places.acquire();
  Job job(WORKER_STUB, spec_of(wrong, std::max(ranks, 1), culprit), ranks);
  Outcome outcome;
  outcome.exit = job.wait();
  outcome.clean = job.nothing_left_behind();
  outcome.error = job.error();
  outcome.output = job.output();
  places.release();
  return outcome;
}

// All jobs are started before the first test reads a result.
class WorkerFault : public ::testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite() {
    for (const auto& wrong : all_wrongs) {
      for (const auto& [ranks, culprit] : {std::pair(0, 0), std::pair(2, 1), std::pair(4, 2)}) {
        if (ranks == 0 && wrong.alone < 0) continue;
        outcomes()[{wrong.fault, ranks}] =
            std::async(std::launch::async, outcome_of, std::cref(wrong), ranks, culprit).share();
      }
    }
  }
  static std::map<std::pair<std::string, int>, std::shared_future<Outcome>>& outcomes() {
    static std::map<std::pair<std::string, int>, std::shared_future<Outcome>> all;
    return all;
  }

  void expect(const Wrong& wrong, int ranks, int culprit, int exit) {
    SCOPED_TRACE(wrong.fault + ", ranks " + std::to_string(ranks));
    const Outcome& seen = outcomes().at({wrong.fault, ranks}).get();
    SCOPED_TRACE(seen.output);
    EXPECT_EQ(seen.exit, exit);
    EXPECT_TRUE(seen.clean) << "processes left behind";
    ASSERT_TRUE(seen.error.is_object());
    SCOPED_TRACE(seen.error.dump());
    EXPECT_NE(seen.error["what"].get<std::string>().find(wrong.what), std::string::npos);
    EXPECT_EQ(seen.error["rank"], culprit);
    EXPECT_EQ(seen.error["phase"], wrong.phase);
    EXPECT_EQ(seen.error["plugin"], wrong.plugin.empty() ? nlohmann::json() : nlohmann::json(wrong.plugin));
    EXPECT_NE(seen.output.find(wrong.what), std::string::npos);
    if (!wrong.help.empty()) {
      EXPECT_EQ(seen.error["help"], wrong.help);
    }
    for (const auto& text : wrong.stack) {
      EXPECT_TRUE(!can_name_functions || seen.output.find(text) != std::string::npos) << text;
    }
    if (ranks > 0) {
      EXPECT_NE(seen.output.find("rank " + std::to_string(culprit) + " (host "), std::string::npos);
    }
  }
};

TEST_P(WorkerFault, EndsAloneWithItsName) {
  const Wrong& wrong = all_wrongs[GetParam()];
  if (wrong.alone < 0) GTEST_SKIP() << "needs other ranks";
  expect(wrong, 0, 0, wrong.alone);
}

TEST_P(WorkerFault, EndsTwoRanksWithItsName) { expect(all_wrongs[GetParam()], 2, 1, all_wrongs[GetParam()].together); }

TEST_P(WorkerFault, EndsFourRanksWithItsName) {
  const Wrong& wrong = all_wrongs[GetParam()];
  expect(wrong, 4, 2, wrong.together);
}

INSTANTIATE_TEST_SUITE_P(All, WorkerFault, ::testing::Range(0, static_cast<int>(all_wrongs.size())),
                         [](const auto& wrong) {
                           std::string name = all_wrongs[wrong.param].fault;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(Worker, AnHonestTaskEndsWithZero) {
  for (const int ranks : {0, 2, 4}) {
    const Outcome seen = outcome_of({"none", 0, 0, ""}, ranks, 0);
    EXPECT_EQ(seen.exit, 0) << seen.output;
    EXPECT_TRUE(seen.error.is_null());
    EXPECT_EQ(seen.output, "");
  }
}

TEST(Worker, EndsProcessesThatPluginsLeftRunning) {
  for (const int ranks : {0, 2}) {
    const Outcome seen = outcome_of({"leave a process", 0, 0, "", length}, ranks, std::max(ranks - 1, 0));
    EXPECT_EQ(seen.exit, 0) << seen.output;
    EXPECT_TRUE(seen.clean) << "processes left behind";
    EXPECT_TRUE(seen.output.starts_with("compeer: warning: process ")) << seen.output;
    EXPECT_TRUE(seen.output.ends_with(" (worker_stub) outlived the run and was killed\n")) << seen.output;
  }
}

TEST(Worker, SlowWorkThatReportsProgressIsLeftAlone) {
  const Outcome seen = outcome_of({"slow", 0, 0, "", length, "score", 0.5}, 2, 1);
  EXPECT_EQ(seen.exit, 0) << seen.output;
}

TEST(Worker, ForgetsTheErrorOfAnEarlierTry) {
  Job job(WORKER_STUB, spec_of({"want resume", 0, 0, ""}, 1, 0), 0);
  EXPECT_EQ(job.wait(), 1);
  EXPECT_EQ(job.error()["what"], "not resumed");
  job.again({"--resume"});
  EXPECT_EQ(job.wait(), 0) << job.output();
  EXPECT_TRUE(job.error().is_null());
}

TEST(Worker, TouchesNothingOfARunThatOthersAreAt) {
  for (const int ranks : {0, 2}) {
    Job job(WORKER_STUB, spec_of({"throw alone", 0, 0, ""}, std::max(ranks, 1), 0), ranks);
    EXPECT_EQ(job.wait(), 1);
    const record::WriterLock others(job.folder() / "spec.json");
    job.again({"--resume"});
    EXPECT_EQ(job.wait(), 4);
    EXPECT_NE(job.output().find(job.folder().string() + ": is in use by other workers"), std::string::npos)
        << job.output();
    EXPECT_EQ(job.error()["what"], "out of luck") << "what they left is gone";
  }
}

TEST(Worker, StopsPolitelyWhenAsked) {
  for (const auto& [ranks, number] : {std::pair(0, SIGTERM), std::pair(0, SIGUSR2), std::pair(2, SIGUSR1)}) {
    Job job(WORKER_STUB, spec_of({"step", 0, 0, ""}, std::max(ranks, 1), 0), ranks);
    ASSERT_TRUE(job.wait_for("ready")) << job.output();
    job.signal(number);
    EXPECT_EQ(job.wait(), 85) << job.output();
    EXPECT_TRUE(job.error().is_null()) << job.error();
    EXPECT_NE(job.output().find("compeer: stopped by a signal after step 0\n"), std::string::npos) << job.output();
    EXPECT_TRUE(job.nothing_left_behind());
  }
}

TEST(Worker, StopsPolitelyAtTwoInterruptsThatComeTogether) {
  Job job(WORKER_STUB, spec_of({"step", 0, 0, ""}, 1, 0), 0);
  ASSERT_TRUE(job.wait_for("ready")) << job.output();
  job.signal(SIGINT);
  job.signal(SIGINT);
  EXPECT_EQ(job.wait(), 85) << job.output();
}

TEST(Worker, StopsPolitelyIfAskedWhileItsLibrariesAreLoaded) {
  for (const auto& [ranks, number] : {std::pair(0, SIGTERM), std::pair(0, SIGUSR2), std::pair(2, SIGUSR1)}) {
    Job job(WORKER_STUB, spec_of({"step", 0, 0, ""}, std::max(ranks, 1), 0), ranks, {},
            {"LD_PRELOAD=" FAULTS, "FAULT_SIGNAL=" + std::to_string(number)});
    EXPECT_EQ(job.wait(), 85) << job.output();
    EXPECT_NE(job.output().find("compeer: stopped by a signal after step 0\n"), std::string::npos) << job.output();
  }
}

TEST(Worker, DiesWithItsLauncher) {
  Job job(WORKER_STUB, spec_of({"step", 0, 0, ""}, 2, 0), 2);
  ASSERT_TRUE(job.wait_for("ready")) << job.output();
  job.signal(SIGKILL);
  EXPECT_EQ(job.wait(), 137);
  EXPECT_TRUE(job.nothing_left_behind());
}

}  // namespace
}  // namespace compeer::test
