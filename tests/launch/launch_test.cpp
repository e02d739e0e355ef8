#include "launch/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fake_worker.h"

namespace compeer::launch {
namespace {

namespace fs = std::filesystem;

const plugin::Finder known({"/plugins"});  // where those of the fake catalog lie

class Launch : public FakeWorker {
 protected:
  static LaunchOptions quiet() {
    LaunchOptions options;
    options.quiet = true;
    return options;
  }
  static Launched one(const spec::Spec& spec, const LaunchOptions& options = quiet()) {
    return launch({spec}, options).at(0);
  }
  // "where: what|help|exit" of a run that failed.
  static std::string failure(const Launched& done) {
    if (!done.error) return "none";
    return done.error->where() + ": " + done.error->problem() + "|" + done.error->help() + "|" +
           std::to_string(static_cast<int>(done.error->exit()));
  }
  // False once the process is gone, or a corpse that nobody has collected yet.
  static bool lives(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    return text.find(") ") != std::string::npos && text[text.rfind(") ") + 2] != 'Z';
  }
};

TEST_F(Launch, RunsTheWorkerInAFolderOfItsOwn) {
  worker("[ -f \"$run/spec.json\" ] && echo threads $OMP_NUM_THREADS && finish");
  const auto spec = make_spec("threads = 3");
  const auto done = one(spec);
  EXPECT_EQ(failure(done), "none");
  EXPECT_EQ(done.folder, "results/x");
  EXPECT_FALSE(done.reused);
  EXPECT_EQ(done.summary.metrics.at("reward").mean, 1.5);
  EXPECT_EQ(read("results/x/log.txt"), "called with results/x\nthreads 3\n");
  EXPECT_EQ(read("results/x/spec.json"), spec.file_text());
}

TEST_F(Launch, ReadsBackWhatHasFinished) {
  worker("finish");
  one(make_spec());
  worker("exit 1");
  const auto again = one(make_spec());
  EXPECT_TRUE(again.reused);
  EXPECT_EQ(again.summary.metrics.at("reward").n, 8u);
}

TEST_F(Launch, RepeatsIfToldToAndKeepsWhatWasThere) {
  worker("echo first; finish");
  one(make_spec());
  write("results/x/checkpoints/step-000008/state.json", "{}");
  worker("[ -e \"$run/checkpoints\" ] || finish");
  auto options = quiet();
  options.fresh = true;
  testing::internal::CaptureStderr();
  const auto again = one(make_spec(), options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "compeer: note: what was in results/x is in results/x~1 now\n");
  EXPECT_FALSE(again.reused);
  EXPECT_EQ(again.folder, "results/x");
  EXPECT_EQ(read("results/x/log.txt"), "called with results/x\n");
  EXPECT_EQ(read("results/x~1/log.txt"), "called with results/x\nfirst\n");
  EXPECT_EQ(read("results/x~1/checkpoints/step-000008/state.json"), "{}");
  EXPECT_TRUE(fs::exists("results/x~1/summary.json"));
  one(make_spec(), options);
  EXPECT_TRUE(fs::exists("results/x~2/summary.json"));
  EXPECT_TRUE(one(make_spec()).reused);
}

TEST_F(Launch, SetsNothingAsideOfARunThatWasNotBegun) {
  worker("finish");
  auto options = quiet();
  options.fresh = true;
  one(make_spec(), options);
  EXPECT_FALSE(fs::exists("results/x~1"));
}

TEST_F(Launch, GoesOnFromACheckpointAndElseStartsAgain) {
  worker("mkdir -p \"$run/rollouts\"; touch \"$run/run.h5\"; exit 1");
  one(make_spec());
  worker(
      "[ -e \"$run/rollouts\" ] || [ -e \"$run/run.h5\" ] || mkdir -p \"$run/checkpoints/step-000004\"; touch "
      "\"$run/run.h5\"; exit 1");
  one(make_spec());
  worker("[ -e \"$run/run.h5\" ] && finish");
  EXPECT_EQ(failure(one(make_spec())), "none");
  EXPECT_EQ(read("results/x/log.txt"),
            "called with results/x\ncalled with results/x\ncalled with results/x --resume\n");
}

TEST_F(Launch, LeavesTheFolderOfAnotherSpecAlone) {
  worker("finish");
  one(make_spec());
  const auto other = make_spec("seed = 2");
  const auto done = one(other);
  EXPECT_EQ(done.folder, "results/x-" + other.sha256().substr(0, 8));
  EXPECT_FALSE(done.reused);
  EXPECT_TRUE(one(make_spec()).reused);
  EXPECT_TRUE(one(other).reused);
  write("results/mine/notes.txt", "important");
  EXPECT_EQ(one(make_spec("", "mine")).folder.string().substr(0, 13), "results/mine-");
  EXPECT_EQ(read("results/mine/notes.txt"), "important");
}

TEST_F(Launch, TakesTheNameOfARunThatFailedBeforeItDidAnything) {
  worker(R"(echo '{"what":"no split","exit":4}' > "$run/error.json"; exit 4)");
  EXPECT_TRUE(one(make_spec()).error);
  worker("finish");
  const auto corrected = make_spec("seed = 2");
  EXPECT_EQ(one(corrected).folder, "results/x");
  EXPECT_FALSE(std::filesystem::exists("results/x/error.json"));
  EXPECT_TRUE(one(corrected).reused);

  worker(R"(echo '{"what":"full","exit":4}' > "$run/error.json"; touch "$run/run.h5"; exit 4)");
  EXPECT_TRUE(one(make_spec("", "y")).error);
  EXPECT_EQ(one(make_spec("seed = 2", "y")).folder.string().substr(0, 10), "results/y-");
}

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
                           "compeer: warning: x: 2 more are in results/x/log.txt\n"})
    EXPECT_NE(told.find(line), std::string::npos) << told;
  EXPECT_EQ(told.find("number 6"), std::string::npos) << told;
}

TEST_F(Launch, SaysThatARunIsStoppedAndHowItGoesOn) {
  worker("(until grep -q 'is stopped' told; do :; done; kill -CONT $$) & kill -STOP $$; finish");
  const int before = ::dup(STDERR_FILENO), file = ::open("told", O_CREAT | O_WRONLY, 0600);
  ::dup2(file, STDERR_FILENO);
  EXPECT_EQ(failure(one(make_spec())), "none");
  ::dup2(before, STDERR_FILENO);
  ::close(file), ::close(before);
  const auto told = read("told");
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
            "shows the stack; the log is results/x/log.txt|5");
}

TEST_F(Launch, NamesATmpdirThatCannotBeWritten) {
  worker("finish");
  ::setenv("TMPDIR", "/proc/nothing", 1);
  EXPECT_EQ(
      failure(one(make_spec("ranks = 2"))),
      "TMPDIR: no file can be made in /proc/nothing: No such file or directory|set TMPDIR to a folder that can be "
      "written: temporary files go there, those of mpirun too|1");
  ::unsetenv("TMPDIR");
}

TEST_F(Launch, TellsTheEndOfTheLogIfThereIsNothingElse) {
  worker("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo line $i; done; printf 'bad \\033[31m\\377'; exit 4");
  EXPECT_EQ(
      failure(one(make_spec())),
      "run x: ended with exit code 4\n  the last lines of its log:\n    line 4\n    line 5\n    line 6\n    line 7\n"
      "    line 8\n    line 9\n    line 10\n    line 11\n    line 12\n    line 13\n    line 14\n"
      "    bad \\x1b[31m\\xff|all of it is in results/x/log.txt|4");
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
            "run x: was killed by signal 9 (Killed)\n  the last lines of its log:\n    called with results/x|the "
            "system kills a process when memory runs out (dmesg tells), a batch system at a limit; the same command "
            "goes on|1");
}

TEST_F(Launch, CallsARunWithoutSummaryFailed) {
  worker("exit 0");
  EXPECT_EQ(failure(one(make_spec())).substr(0, 30), "run x: ended without a result\n");
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

TEST_F(Launch, TellsWhenThereIsNoWorker) {
  fs::remove("worker");
  EXPECT_EQ(failure(one(make_spec())),
            (folder_ / "worker").string() + ": can't be started: No such file or directory||1");
}

TEST_F(Launch, RunsSeveralAtTheSameTime) {
  // Each waits for the other to have started.
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

std::string ended(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.where() + ": " + error.problem() + "|" + error.help() + "|" +
           std::to_string(static_cast<int>(error.exit()));
  }
  return "none";
}

TEST_F(Launch, AsksForACheckpointAtTheFirstSignal) {
  worker("trap 'exit 85' USR1; kill -INT $PPID; while :; do sleep 0.01; done");
  EXPECT_EQ(ended([&] {
              launch({make_spec("", "a"), make_spec("", "b")}, quiet());
            }),
            "run a: stopped with a checkpoint|compeer resume results/a|85");
  EXPECT_FALSE(fs::exists("results/b"));
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

// An mpirun that waits for something which never comes, as the real one does if it may open too few files.
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
            "compeer doctor tries out two ranks, and limits; watchdog.seconds is how long to wait|86");
}

TEST_F(StuckLauncher, IsEndedByTheFirstSignal) {
  mpirun("kill -TERM $PPID; exec sleep 1000");
  EXPECT_EQ(ended([&] { one(make_spec("ranks = 2")); }),
            "run x: stopped before it had begun|compeer resume results/x|85");
}

TEST_F(Launch, KillsAtTheSecondSignal) {
  worker("trap 'kill -TERM $PPID' USR1; kill -TERM $PPID; while :; do sleep 0.01; done");
  EXPECT_EQ(ended([&] { one(make_spec()); }), ": killed, as asked|the same command goes on where this one ended|1");
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
  EXPECT_EQ(failure(one(make_spec())), "none");  // the folder is free again
}

TEST_F(Launch, RefusesARunThatIsInProgress) {
  const auto held = RunFolder::claim(make_spec(), "results");
  EXPECT_EQ(failure(one(make_spec())), "results/x: this run is in progress: process " + std::to_string(::getpid()) +
                                           " holds it|wait for it to end, or end it|1");
}

TEST_F(Launch, ResumesAFolder) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  one(make_spec());
  worker("[ \"$2\" = --resume ] && finish");
  EXPECT_FALSE(resume("results/x", quiet(), known).reused);
  EXPECT_TRUE(resume("results/x", quiet(), known).reused);
  EXPECT_EQ(ended([&] { resume("results/y", quiet(), known); }),
            "results/y: is no run: it has no spec.json|compeer resume results/NAME|2");
}

TEST_F(Launch, ResumesNoPluginFromWhereNoneAreLookedFor) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  one(make_spec());
  worker("touch loaded; finish");
  const auto said = ended([&] { resume("results/x", quiet(), plugin::Finder({"/usr/lib/compeer/plugins"})); });
  EXPECT_EQ(said,
            "results/x: would load /plugins/models/qwen2.so, which lies where plugins are not looked for|plugins are "
            "programs. If you trust it: compeer resume results/x --plugin-dir /plugins|5");
  EXPECT_FALSE(fs::exists("loaded"));
}

TEST_F(Launch, WritesThroughNoLinkOfARunsFolder) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  one(make_spec());
  worker("echo evil; finish");
  std::ofstream("mine") << "dear to me";
  for (const char* name : {"log.txt", ".lock", "run.h5", "checkpoints/step-000004/state.json"}) {
    const auto place = fs::path("results/x") / name;
    fs::remove(place);
    fs::create_symlink(fs::absolute("mine"), place);
    for (const auto& failed : {failure(one(make_spec())), failure(resume("results/x", quiet(), known))})
      EXPECT_EQ(failed.substr(0, failed.find(": ")), place.string()) << failed;
    EXPECT_EQ(read("mine"), "dear to me") << name;
    fs::remove(place);
  }
}

TEST_F(Launch, RemarksOnPluginsThatHaveChanged) {
  worker("finish");
  one(make_spec());
  auto spec = make_spec();
  spec.plugins.at(0).sha256 = std::string(64, '1');
  testing::internal::CaptureStderr();
  EXPECT_TRUE(one(spec).reused);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "compeer: note: results/x: made with another build of the plugin models/qwen2; "
            "--fresh repeats the run\n");
}

TEST_F(Launch, LooksWithoutMakingAnything) {
  EXPECT_EQ(RunFolder::look(make_spec(), "results"), std::pair(fs::path("results/x"), RunFolder::State::fresh));
  EXPECT_FALSE(fs::exists("results"));
}

}  // namespace
}  // namespace compeer::launch
