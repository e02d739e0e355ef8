#include "launch/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "launch/process.h"
#include "launching.h"

namespace compeer::launch {
namespace {

class Launch : public Launching {
 protected:
  // True if the process exists and is not a zombie.
  static bool lives(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    return text.find(") ") != std::string::npos && text[text.rfind(") ") + 2] != 'Z';
  }

  // Returns the run's output on the terminal; the worker can read it in the file `told` meanwhile.
  std::string terminal() {
    const int before = ::dup(STDERR_FILENO), file = ::open("told", O_CREAT | O_WRONLY, 0600);
    ::dup2(file, STDERR_FILENO);
    EXPECT_EQ(failure(one(make_spec())), "none");
    ::dup2(before, STDERR_FILENO);
    ::close(file), ::close(before);
    return read("told");
  }
};

TEST_F(Launch, TellsWhatErrorJsonSays) {
  worker(
      R"(echo '{"rank":1,"host":"n07","phase":"score","plugin":"rewards/format 1.0.0","where":"","what":"no score","help":"mend it","exit":5}' > "$run/error.json"; exit 5)");
  EXPECT_EQ(failure(one(make_spec())),
            "run x, rank 1 on n07, phase score, plugin rewards/format 1.0.0: no score|mend it|5");
}

TEST_F(Launch, PassesOnWhatARunWarnsOf) {
  worker("for i in 1 2 2 3 4 5 6 7; do echo \"compeer: warning: number $i\"; done; echo no warning; finish");
  testing::internal::CaptureStderr();
  EXPECT_EQ(failure(one(make_spec())), "none");
  const auto told = testing::internal::GetCapturedStderr();
  for (const char* line : {"compeer: warning: x: number 1\n", "compeer: warning: x: number 5\n",
                           "compeer: warning: x: 2 more warnings are in results/x/log.txt\n"})
    EXPECT_NE(told.find(line), std::string::npos) << told;
  EXPECT_EQ(told.find("number 6"), std::string::npos) << told;
}

TEST_F(Launch, PassesItOnAtOnce) {
  worker("echo 'compeer: warning: no room'; until grep -q 'x: no room' told; do :; done; finish");
  EXPECT_TRUE(terminal().starts_with("compeer: warning: x: no room\n"));
}

TEST_F(Launch, SaysThatARunIsStoppedAndHowItGoesOn) {
  worker("(until grep -q 'is stopped' told; do :; done; kill -CONT $$) & kill -STOP $$; finish");
  const auto told = terminal();
  EXPECT_TRUE(told.starts_with("compeer: note: x: its process ")) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
}

TEST_F(Launch, SaysNothingTwice) {
  worker(
      R"x(echo '{"rank":0,"host":"","phase":"score","plugin":"rewards/lua 1.0.0","where":"step 3, record a/7: rewards/lua 1.0.0 (/x/lua.so), in score()","what":"returned NaN","help":"mend it","exit":5}' > "$run/error.json"; exit 5)x");
  EXPECT_EQ(failure(one(make_spec())),
            "run x, rank 0, step 3, record a/7: rewards/lua 1.0.0 (/x/lua.so), in score(): returned NaN|mend it|5");
}

TEST_F(Launch, SaysWhereTheStackOfACrashIs) {
  worker(
      R"x(echo '{"rank":1,"host":"n07","phase":"score","plugin":"rewards/format 1.0.0","where":"","what":"signal 11 (segmentation fault)","help":"the log shows the stack","exit":5}' > "$run/error.json"; exit 5)x");
  EXPECT_EQ(failure(one(make_spec())),
            "run x, rank 1 on n07, phase score, plugin rewards/format 1.0.0: signal 11 (segmentation fault)|the log "
            "shows the stack; see the log, results/x/log.txt|5");
}

TEST_F(Launch, NamesATmpdirThatCannotBeWritten) {
  worker("finish");
  ::setenv("TMPDIR", "/proc/nothing", 1);
  EXPECT_EQ(failure(one(make_spec("ranks = 2"))),
            "TMPDIR: can't create a file in /proc/nothing: No such file or directory|set TMPDIR to a writable folder "
            "for temporary files, including those of mpirun|1");
  ::unsetenv("TMPDIR");
}

TEST_F(Launch, TellsTheEndOfTheLogIfThereIsNothingElse) {
  worker("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo line $i; done; printf 'bad \\033[31m\\377'; exit 4");
  EXPECT_EQ(
      failure(one(make_spec())),
      "run x: ended with exit code 4\n  the last lines of its log:\n    line 4\n    line 5\n    line 6\n    line 7\n"
      "    line 8\n    line 9\n    line 10\n    line 11\n    line 12\n    line 13\n    line 14\n"
      "    bad \\x1b[31m\\xff|see results/x/log.txt|4");
}

TEST_F(Launch, KnowsOnlyTheLogOfThisAttempt) {
  worker("echo old; exit 1");
  one(make_spec());
  worker("exit 1");
  EXPECT_EQ(failure(one(make_spec())).find("old"), std::string::npos);
}

TEST_F(Launch, NamesTheSignalThatEndedARun) {
  worker("kill -9 $$");
  EXPECT_EQ(failure(one(make_spec())),
            "run x: was killed by signal 9 (Killed)\n  the last lines of its log:\n    called with results/x|check "
            "dmesg: the kernel kills processes when memory runs out, a batch system at a limit; run the same command "
            "again to continue|1");
}

// A killed process can't write error.json itself.
TEST_F(Launch, LeavesAnErrorFileForARunThatLeftNone) {
  const auto left = [](const std::string& run) {
    const auto failure = record::read_failure("results/" + run);
    if (!failure) return std::string("none");
    return fmt::format("rank {}, {}: {} ({})|{}", failure->rank, failure->phase, failure->what, failure->exit,
                       failure->help);
  };
  worker("status running 3; kill -9 $$");
  one(make_spec());
  EXPECT_EQ(left("x"),
            "rank 0, train: was killed by signal 9 (Killed) (137)|check dmesg: the kernel kills processes when memory "
            "runs out, a batch system at a limit; run the same command again to continue");
  worker("[ $OMPI_COMM_WORLD_RANK = 1 ] && kill -9 $$; exec sleep 1000");
  one(make_spec("ranks = 2", "two"));
  // mpirun doesn't name the rank if it was killed soon after its start.
  EXPECT_NE(left("two").find(" was killed by signal 9 (Killed) (137)|"), std::string::npos) << left("two");
  worker("echo mpirun noticed that process rank 1 with PID 0 on node n07 exited on signal 9; exit 137");
  one(make_spec("", "named"));
  EXPECT_TRUE(left("named").starts_with("rank 1, : rank 1 on n07 was killed by signal 9 (Killed) (137)|"))
      << left("named");
  worker("echo last words; exit 4");
  one(make_spec("", "four"));
  EXPECT_EQ(left("four"), "rank 0, : ended with exit code 4 (4)|see results/four/log.txt");
  worker("exit 85");
  one(make_spec("", "stopped"));
  EXPECT_EQ(left("stopped"), "none");
  worker("finish");
  one(make_spec());
  EXPECT_EQ(left("x"), "none");
}

TEST_F(Launch, CallsARunWithoutSummaryFailed) {
  worker("exit 0");
  EXPECT_EQ(failure(one(make_spec())).substr(0, 38), "run x: ended without writing a result\n");
}

TEST_F(Launch, StartsRanksUnderMpirun) {
  worker("echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE; [ $OMPI_COMM_WORLD_RANK = 1 ] || finish");
  const auto done = one(make_spec("ranks = 2"));
  EXPECT_EQ(failure(done), "none");
  const auto log = read("results/x/log.txt");
  EXPECT_NE(log.find("rank 0 of 2"), std::string::npos) << log;
  EXPECT_NE(log.find("rank 1 of 2"), std::string::npos) << log;
}

TEST_F(Launch, NamesTheRankThatWasKilled) {
  worker("[ $OMPI_COMM_WORLD_RANK = 1 ] && kill -9 $$; exec sleep 1000");
  const auto text = failure(one(make_spec("ranks = 2")));
  EXPECT_NE(text.find(" was killed by signal 9 (Killed)"), std::string::npos) << text;
}

TEST_F(Launch, LeavesNoProcessBehind) {
  worker("sleep 1000 & echo $! > child; (setsid sleep 0; exec sleep 1000) & echo $! > other; exit 3");
  EXPECT_EQ(failure(one(make_spec())).substr(0, 29), "run x: ended with exit code 3");
  EXPECT_FALSE(lives(std::stoi(read("child"))));
  EXPECT_FALSE(lives(std::stoi(read("other"))));
}

TEST_F(Launch, EndsMpirunAndProcessesThatKeepItsPipesOpenAfterTheLastRank) {
  worker("setsid sleep 1000 & echo $! > child; [ $OMPI_COMM_WORLD_RANK = 1 ] || finish");
  EXPECT_EQ(failure(one(make_spec("ranks = 2"))), "none");
  EXPECT_FALSE(lives(std::stoi(read("child"))));
  worker("setsid sleep 1000 & [ $OMPI_COMM_WORLD_RANK = 1 ] || status preempted 3; exit 85");
  EXPECT_EQ(failure(one(make_spec("ranks = 2", "stopped"))),
            "run stopped: stopped with a checkpoint|compeer resume results/stopped|85");
}

TEST_F(Launch, EndsProcessesThatLeftTheirSession) {
  worker("setsid sleep 1000 & echo $! > child; finish");
  EXPECT_EQ(failure(one(make_spec())), "none");
  EXPECT_FALSE(lives(std::stoi(read("child"))));
}

TEST_F(Launch, TellsWhenThereIsNoWorker) {
  fs::remove("worker");
  EXPECT_EQ(failure(one(make_spec())),
            (folder_ / "worker").string() + ": can't be started: No such file or directory||1");
}

TEST_F(Launch, RunsSeveralAtTheSameTime) {
  // Each run waits until the other has started.
  worker("touch here-$(basename $run); while ! { [ -e here-a ] && [ -e here-b ]; }; do sleep 0.01; done; finish");
  auto options = quiet();
  options.jobs = 2;
  const auto all = launch({make_spec("", "a"), make_spec("", "b")}, options);
  EXPECT_EQ(failure(all[0]) + failure(all[1]), "nonenone");
}

TEST_F(Launch, LetsAFailureBeOneOfSeveral) {
  worker("case $run in */b) exit 5;; *) finish;; esac");
  const auto all = launch({make_spec("", "a"), make_spec("", "b"), make_spec("", "c")}, quiet());
  EXPECT_EQ(failure(all[0]), "none");
  EXPECT_EQ(all[1].error->exit(), Exit::plugin);
  EXPECT_EQ(failure(all[2]), "none");
}

TEST_F(Launch, AsksForACheckpointAtTheFirstSignal) {
  worker("trap 'exit 85' USR1; kill -INT $PPID; while :; do sleep 0.01; done");
  EXPECT_EQ(ended([&] {
              launch({make_spec("", "a"), make_spec("", "b")}, quiet());
            }),
            "run a: stopped with a checkpoint|compeer resume results/a|85");
  EXPECT_FALSE(fs::exists("results/b"));
}

TEST_F(Launch, SaysThatABudgetIsSpent) {
  worker("echo 'compeer: http://x/v1: its budget is spent: 3 requests' >&2; exit 84");
  EXPECT_EQ(failure(one(make_spec())),
            "run x: stopped with a checkpoint: compeer: http://x/v1: its budget is spent: 3 requests|compeer resume "
            "results/x|84");
}

TEST_F(Launch, CallsASignalThatCameTooEarlyAStopAndOneTooLateNothing) {
  for (const char* signal : {"USR1", "USR2"}) {
    worker(std::string("kill -") + signal + " $$");
    EXPECT_EQ(failure(one(make_spec())), "run x: stopped before it had begun|compeer resume results/x|85");
    EXPECT_EQ(failure(one(make_spec("ranks = 2", "two"))),
              "run two: stopped before it had begun|compeer resume results/two|85");
    worker(std::string("(finish); kill -") + signal + " $$");
    EXPECT_EQ(failure(one(make_spec("", "done"))), "none");
    fs::remove_all("results");
  }
}

// An mpirun that waits forever, as the real one does if it can't open enough files.
class StuckLauncher : public Launch {
 protected:
  StuckLauncher() {
    worker("finish");
    ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }
  ~StuckLauncher() override { ::setenv("PATH", path_.c_str(), 1); }
  void mpirun(const std::string& lines) const {
    write("mpirun", "#!/bin/sh\ntrap '' USR1\necho opening\n" + lines + "\n");
    fs::permissions("mpirun", fs::perms::owner_all);
  }

 private:
  const std::string path_ = std::getenv("PATH");
};

TEST_F(StuckLauncher, IsEndedByTheWatchdog) {
  mpirun("exec sleep 1000");
  EXPECT_EQ(failure(one(make_spec("ranks = 2\nwatchdog.seconds = 1"))),
            "run x: mpirun started no rank within 1 seconds\n  the last lines of its log:\n    opening|"
            "run compeer doctor, which tests mpirun and limits; watchdog.seconds sets the time to wait|86");
}

TEST_F(StuckLauncher, IsEndedByTheFirstSignal) {
  mpirun("kill -TERM $PPID; exec sleep 1000");
  EXPECT_EQ(ended([&] { one(make_spec("ranks = 2")); }),
            "run x: stopped before it had begun|compeer resume results/x|85");
}

TEST_F(Launch, TakesTheTwoSignalsOfGnuTimeoutAsOneRequest) {
  worker("trap 'exit 85' USR1; kill -TERM $PPID; kill -TERM $PPID; while :; do sleep 0.01; done");
  EXPECT_EQ(ended([&] { one(make_spec()); }), "run x: stopped with a checkpoint|compeer resume results/x|85");
}

TEST(Interrupts, EndWorkThatChecksForThem) {
  const Interrupts interrupts;
  EXPECT_EQ(ended([&] { interrupts.check(); }), "none");
  ::raise(SIGTERM);
  EXPECT_EQ(ended([&] { interrupts.check(); }), ": stopped on request||85");
}

TEST_F(Launch, KillsAtTheSecondSignal) {
  worker("trap '' USR1; while :; do kill -TERM $PPID; done");
  EXPECT_EQ(ended([&] { one(make_spec()); }), ": killed on request|repeat the command to continue|1");
  EXPECT_EQ(record::read_failure("results/x")->what, "killed on request");
}

TEST_F(Launch, TakesItsProcessesAlongWhenItIsKilled) {
  worker("echo $$ > pid.part; mv pid.part pid; kill -9 $PPID; exec sleep 1000");
  const pid_t front = ::fork();
  if (front == 0) {
    one(make_spec());
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(front, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  const pid_t process = std::stoi(read("pid"));
  for (int tries = 0; lives(process) && tries < 1000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(lives(process));
  worker("finish");
  EXPECT_EQ(failure(one(make_spec())), "none");  // the folder is unlocked again
}

TEST(AskProgram, GivesOutputAndExitCode) {
  const auto answer = run_program({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(answer.exit, 7);
  EXPECT_EQ(answer.text, "out\nerr\n");
}

TEST(AskProgram, AddsVariablesThatPrevail) {
  ::setenv("COMPEER_DOCTOR_TEST", "old", 1);
  EXPECT_EQ(run_program({"sh", "-c", "echo $COMPEER_DOCTOR_TEST"}, {"COMPEER_DOCTOR_TEST=new"}).text, "new\n");
}

TEST(AskProgram, SaysThatAProgramIsNotThere) { EXPECT_EQ(run_program({"/nonexistent/program"}).exit, 127); }

TEST(AskProgram, EndsOneThatTakesTooLong) { EXPECT_EQ(run_program({"sleep", "60"}, {}, 0.05).exit, 128 + SIGKILL); }

TEST(AskProgram, SaidByPassesOnWhatAProgramOfOursTells) {
  EXPECT_EQ(output_or_throw("sh", {0, "fine\n"}), "fine\n");
  const auto refused = [](const ProgramOutput& done) {
    try {
      return output_or_throw("sh", done) + " was taken";
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.exit())) + " " + error.what();
    }
  };
  EXPECT_EQ(refused({4, "log\ncompeer: error: folder: holds no tokenizer\n  help: write one\n"}),
            "4 folder: holds no tokenizer\n  help: write one");
  EXPECT_EQ(refused({139, "log"}), "1 sh: ended with exit code 139\n  help: log");
}

TEST(AskProgram, NamesTheSignalThatEndedIt) {
  EXPECT_EQ(run_program({"sh", "-c", "kill -SEGV $$"}).exit, 128 + SIGSEGV);
}

}  // namespace
}  // namespace compeer::launch
