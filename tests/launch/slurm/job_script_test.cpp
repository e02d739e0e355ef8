#include "launch/slurm/job_script.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "launch/process.h"
#include "launch/slurm/allocation.h"
#include "record/status.h"

namespace compeer::launch {
namespace {

namespace fs = std::filesystem;

Allocation four_ranks() {
  Allocation asked;
  asked.tasks = 4, asked.threads = 2, asked.nodes = 2, asked.tasks_per_node = 2;
  asked.time = "1:30:00", asked.partition = "gpu", asked.account = "lab7";
  asked.memory = "--mem-per-cpu=512M";
  asked.more = {"--qos=long"};
  return asked;
}

JobEnvironment home() {
  JobEnvironment around;
  around.folder = "/home/ada";
  around.variables = {"OMP_NUM_THREADS=2"};
  around.worker = "/opt/compeer/bin/compeer-worker";
  return around;
}

// Text that is in every script.
const std::string holds_folder = R"sh(
# Only one job or process may use the run's folder at a time.
exec 9>>"$run/.lock"
flock --timeout 5 --conflict-exit-code 75 9
if [ $? -eq 75 ]; then
  echo "compeer: $run is in use by: $(cat "$run/.lock")" >&2
  exit 1
fi
echo "$$ $(hostname)" >"$run/.lock"

# Slurm sends TERM when it ends the job: after scancel, the time limit, preemption or the failure of a node.
terminated=
trap 'terminated=yes' TERM
begun=$(stat --format %s "$run/log.txt")
)sh";
const std::string after_the_step = R"sh(code=$?
# srun may exit with 0 although no task could be launched.
if [ "$code" -eq 0 ] && ! grep -qs '"state":"finished"' "$run/status.json"; then code=1; fi

# leave STATE: writes how the job ended into status.json and, unless a rank did, into error.json.
leave() {
  how="exit code $code"
  if [ "$code" -gt 128 ]; then how="signal $((code - 128)) ($(kill -l $((code - 128))))"; fi
  [ -e "$run/error.json" ] ||
    printf '{"rank":0,"host":"%s","phase":"","plugin":null,"where":"","what":"%s","help":"%s","exit":%d}\n' \
      "$(hostname)" "job $job of Slurm ended with $how${reason:+: $reason}" \
      "submit the job again to continue the run" "$code" >"$run/error.json"
  [ ! -e "$run/status.json" ] || sed -i "s/\"state\":\"[a-z]*\"/\"state\":\"$1\"/" "$run/status.json"
}
reason=$(tail -c "+$((begun + 1))" "$run/log.txt" | grep -aEom 1 \
  'CANCELLED AT [A-Z0-9:-]+( DUE TO [A-Z ]*[A-Z])?|oom[-_]kill|Out Of Memory')
# 85: the time limit or preemption; a checkpoint was written, and the requeued job resumes from it.
# 138: USR1 before the task had installed its signal handler; nothing is lost.
case "$terminated:$code:$reason" in
  *:0:*) ;;
  :85:* | :138:*) scontrol requeue "$job" ;;
  yes:*PREEMPTION | yes:*FAILURE) ;; # Slurm itself queues the job again
  yes:*"DUE TO"*) leave failed ;;
  yes:*) leave cancelled ;;
  *) leave failed ;;
esac
exit "$code"
)sh";

TEST(JobScript, OfARunSaysAllThatSlurmIsAsked) {
  auto around = home();
  around.modules = {"gcc/12", "openmpi"};
  around.before = {"ulimit -c 0"};
  EXPECT_EQ(run_script("x", "/home/ada/results/x/job.sh", "/home/ada/results/x", four_ranks(), around),
            R"(#!/bin/bash -l
# Runs x under Slurm. Written by compeer submit; by hand: sbatch /home/ada/results/x/job.sh
#SBATCH --job-name=x
#SBATCH --nodes=2
#SBATCH --ntasks=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=512M
#SBATCH --time=1:30:00
#SBATCH --partition=gpu
#SBATCH --account=lab7
#SBATCH --signal=USR1@180
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=/home/ada/results/x/log.txt
#SBATCH --qos=long

cd /home/ada || exit 1
module load gcc/12
module load openmpi
ulimit -c 0
export OMP_NUM_THREADS=2
run=/home/ada/results/x
job=$SLURM_JOB_ID
)" + holds_folder +
                R"(srun --mpi=pmix --export=ALL --kill-on-bad-exit=1 --ntasks="${SLURM_NTASKS:-4}" \
  --cpus-per-task="${SLURM_CPUS_PER_TASK:-2}" /opt/compeer/bin/compeer-worker "$run" --resume
)" + after_the_step);
}

TEST(JobScript, OfSeveralRunsIsAnArray) {
  EXPECT_EQ(array_script("study.lua", "/r/study.jobs/array.sh", {"/r/a", "/r/b"}, 4, {}, home()),
            R"(#!/bin/bash
# Runs 2 experiments of study.lua under Slurm, one per task of a job array. Written by compeer submit; by hand: sbatch /r/study.jobs/array.sh
#SBATCH --job-name=study.lua
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --signal=USR1@180
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=/r/study.jobs/%A_%a.txt
#SBATCH --array=0-1%4

cd /home/ada || exit 1
export OMP_NUM_THREADS=2
runs=(
  /r/a
  /r/b
)
run=${runs[$SLURM_ARRAY_TASK_ID]}
job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
exec >>"$run/log.txt" 2>&1
)" + holds_folder +
                R"(srun --mpi=pmix --export=ALL --kill-on-bad-exit=1 --ntasks="${SLURM_NTASKS:-1}" \
  --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" /opt/compeer/bin/compeer-worker "$run" --resume
)" + after_the_step);
}

TEST(JobScript, OfAScriptPassesTheSignalOn) {
  EXPECT_EQ(
      study_script("study.lua", "/r/study.jobs/script.sh", {"/opt/compeer", "run", "/home/ada/study.lua"}, {}, home()),
      R"(#!/bin/bash
# Runs the script study.lua within one allocation, a Slurm step for each of its runs. Written by compeer submit; by hand: sbatch /r/study.jobs/script.sh
#SBATCH --job-name=study.lua
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --signal=B:USR1@180
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=/r/study.jobs/log.txt

cd /home/ada || exit 1
export OMP_NUM_THREADS=2
export COMPEER_LAUNCHER=srun SLURM_MPI_TYPE=pmix

/opt/compeer run /home/ada/study.lua &
compeer=$!

# At the time limit Slurm signals this shell, which signals compeer: the run in progress saves a checkpoint.
trap 'asked=yes; trap "" USR1; kill -TERM "$compeer"' USR1
asked=yes
while [ "$asked" ]; do
  asked=
  wait "$compeer" # returns early if the signal arrives
  code=$?
done

# 85: the time limit or preemption; a checkpoint was written, and the requeued job resumes from it.
# 138: USR1 before the task had installed its signal handler; nothing is lost.
case "$code" in 85 | 138) scontrol requeue "$SLURM_JOB_ID" ;; esac
exit "$code"
)");
}

// A name that would be executed as a command by any missing quote.
const std::string hostile = "a b'c\"d $(touch broken) `touch broken` ; touch broken # \\ * ~ %j !x\n touch broken";

// Returns the output of bash for a script.
std::string run_by_bash(const std::string& text) { return run_program({"bash", "-c", text}).text; }

TEST(JobScript, ShellsReadWordsBackAsTheyWere) {
  for (const std::string& word : {std::string("plain/a.b_c-d:e=f,g@h%i+j"), std::string(""), std::string("'"),
                                  std::string("\xff\n\t "), hostile}) {
    EXPECT_EQ(run_by_bash("printf '<%s>' " + shell_word(word)), "<" + word + ">");
  }
  EXPECT_EQ(shell_word("results/x-1"), "results/x-1");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(JobScript, DirectivesAreQuotedAsSbatchReadsThem) {
  EXPECT_EQ(directive("--time=1:00"), "#SBATCH --time=1:00\n");
  EXPECT_EQ(directive("--job-name=a b'c"), "#SBATCH \"--job-name=a b'c\"\n");
  EXPECT_EQ(directive("--comment=a \"b\" \\ # c"), "#SBATCH \"--comment=a \\\"b\\\" \\\\ # c\"\n");
  EXPECT_EQ(output_path("/a/100%/log.txt"), "/a/100%%/log.txt");
}

std::string refused(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.exit())) + " " + error.what();
  }
  return "nothing was refused";
}

TEST(JobScript, WhatNoDirectiveCanHoldIsRefused) {
  EXPECT_EQ(refused([] { directive("--partition=a\n#SBATCH --account=b"); }),
            "2 --partition=a\\x0a#SBATCH --account=b: contains a control character, which a batch script can't "
            "contain\n  help: rename the file or folder");
  EXPECT_EQ(refused([] { run_script("x", "/a\nb/job.sh", "/a\nb", {}, home()); }).substr(0, 28),
            "2 --output=/a\\x0ab/log.txt: ");
  EXPECT_EQ(refused([] { output_path("a\\b"); }),
            "2 a\\b: contains a backslash, which Slurm reads as an escape in the path of a job's output\n  help: "
            "choose another folder with --results DIR");
}

// Makes a folder with an srun that prints its arguments, runs `lines` and exits with `code`, and an scontrol that
// prints its arguments.
fs::path folder_with_slurm(int code, const std::string& lines = "") {
  const auto folder = fs::path(testing::TempDir()) / ("job-script-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  write_file(folder / "srun", "#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done\n" + lines + "\nexit " +
                                  std::to_string(code) + "\n");
  write_file(folder / "scontrol", "#!/bin/sh\nprintf '[%s]' \"$@\"\n");
  for (const char* program : {"srun", "scontrol"}) fs::permissions(folder / program, fs::perms::owner_all);
  return folder;
}

ProgramOutput run_in(const fs::path& folder, const std::string& script) {
  return run_program({"bash", "-c", "PATH=" + folder.string() + ":$PATH; SLURM_JOB_ID=17; " + script});
}

TEST(JobScript, WhatWasToldToMakeRoomIsQueuedAgainAndWhatFailedIsNot) {
  for (const auto& [code, ends] :
       std::map<int, std::string>{{0, ""}, {5, ""}, {85, "[requeue][17]"}, {138, "[requeue][17]"}}) {
    const auto folder = folder_with_slurm(code);
    write_file(folder / "status.json", R"({"state":"finished"})");
    write_file(folder / "log.txt", "");
    JobEnvironment around;
    around.folder = folder;
    const auto ran = run_in(folder, run_script("x", folder / "job.sh", folder, {}, around));
    EXPECT_EQ(ran.exit, code);
    EXPECT_EQ(ran.text.substr(ran.text.rfind('>') + 1), ends) << code;
    fs::remove_all(folder);
  }
}

struct Ending {
  int code;
  std::string says;  // log message of Slurm before it sends TERM; "": no such message
  std::string state, failure, queued;
};

TEST(JobScript, WritesHowTheJobEnded) {
  const std::string at = "slurmstepd-n1: error: *** STEP 17.0 ON n1 CANCELLED AT 2026-11-30T01:28:15";
  const std::string cancelled = "job 17 of Slurm ended with exit code 85: CANCELLED AT 2026-11-30T01:28:15";
  for (const Ending& one : std::vector<Ending>{
           {0, "", "finished", "none", ""},
           {85, "", "preempted", "none", "[requeue][17]"},
           {85, at + " ***", "cancelled", cancelled + " 85", ""},
           {85, at + " DUE TO TIME LIMIT ***", "failed", cancelled + " DUE TO TIME LIMIT 85", ""},
           {85, at + " DUE TO PREEMPTION ***", "preempted", "none", ""},
           {85, at + " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***", "preempted", "none", ""},
           {137, "", "failed", "job 17 of Slurm ended with signal 9 (KILL) 137", ""},
           {5, "", "failed", "job 17 of Slurm ended with exit code 5 5", ""}}) {
    SCOPED_TRACE(one.says + " " + std::to_string(one.code));
    const auto folder =
        folder_with_slurm(one.code, one.says.empty() ? "" : "echo '" + one.says + "' >>log.txt; kill -TERM $PPID");
    write_file(folder / "log.txt", "CANCELLED AT 2025 in the attempt before\n");
    write_file(folder / "status.json",
               one.code == 0 ? R"({"a":1,"state":"finished","step":2})" : R"({"a":1,"state":"preempted","step":2})");
    JobEnvironment around;
    around.folder = folder;
    const auto ran = run_in(folder, run_script("x", folder / "job.sh", folder, {}, around));
    EXPECT_EQ(ran.exit, one.code);
    EXPECT_EQ(ran.text.substr(ran.text.rfind('>') + 1), one.queued);
    EXPECT_EQ(read_file(folder / "status.json"), R"({"a":1,"state":")" + one.state + R"(","step":2})");
    const auto failure = record::read_failure(folder);
    EXPECT_EQ(failure ? failure->what + " " + std::to_string(failure->exit) : "none", one.failure);
    fs::remove_all(folder);
  }
}

TEST(JobScript, KeepsTheErrorThatARankLeft) {
  const auto folder = folder_with_slurm(5);
  write_file(folder / "log.txt", "");
  write_file(folder / "error.json", "a rank's");
  JobEnvironment around;
  around.folder = folder;
  run_in(folder, run_script("x", folder / "job.sh", folder, {}, around));
  EXPECT_EQ(read_file(folder / "error.json"), "a rank's");
  fs::remove_all(folder);
}

// All names in the script are hostile; the shell must run only the script's own commands.
TEST(JobScript, HostileNamesStayNames) {
  const auto folder = folder_with_slurm(85);
  auto name = hostile.substr(0, hostile.find('\n'));
  std::erase_if(name, [](char c) { return c == '\\'; });
  const auto run = folder / name;
  fs::create_directories(run);
  write_file(run / "log.txt", "");
  JobEnvironment around;
  around.folder = folder;
  around.variables = {"COMPEER_HOME=" + hostile};
  around.mpi = hostile;
  around.worker = run / hostile;
  const auto text = run_script(name, run / "job.sh", run, {}, around);
  const auto ran = run_in(folder, text);
  EXPECT_EQ(ran.exit, 85);
  EXPECT_EQ(ran.text, "<--mpi=" + hostile + "><--export=ALL><--kill-on-bad-exit=1><--ntasks=1><--cpus-per-task=1><" +
                          (run / hostile).string() + "><" + run.string() + "><--resume>[requeue][17]");
  EXPECT_FALSE(fs::exists(folder / "broken"));
  fs::remove_all(folder);
}

TEST(JobScript, ShellcheckHasNothingToSay) {
  if (run_program({"shellcheck", "--version"}).exit != 0) GTEST_SKIP() << "shellcheck is not installed";
  const auto file = (fs::path(testing::TempDir()) / ("job-" + std::to_string(::getpid()) + ".sh")).string();
  for (const auto& text : {run_script("x", "/r/x/job.sh", "/r/x y", four_ranks(), home()),
                           array_script("study.lua", "/r/a.sh", {"/r/a", "/r/b c"}, 4, {}, home()),
                           study_script("study.lua", "/r/s.sh", {"compeer", "run", "it's.lua"}, {}, home())}) {
    write_file(file, text);
    EXPECT_EQ(run_program({"shellcheck", file}).text, "");
  }
  fs::remove(file);
}

TEST(Allocation, ReadsSlurmsTimes) {
  EXPECT_EQ(slurm_seconds("90"), 90 * 60);
  EXPECT_EQ(slurm_seconds("1:30"), 90);
  EXPECT_EQ(slurm_seconds("2:00:05"), 7205);
  EXPECT_EQ(slurm_seconds("1-12"), 36 * 3600);
  EXPECT_EQ(slurm_seconds("1-12:30"), 36 * 3600 + 1800);
  EXPECT_EQ(slurm_seconds("1-0:0:1"), 86401);
  EXPECT_EQ(slurm_seconds("UNLIMITED"), -1);
  for (const char* bad : {"", "soon", "1h", "-1", "1:2:3:4", "1 ", "1-"}) EXPECT_EQ(slurm_seconds(bad), std::nullopt);
}

TEST(Allocation, RefusesWishesThatMakeNoSense) {
  SlurmOptions wishes;
  wishes.time = "3h";
  EXPECT_EQ(refused([&] { check_slurm_options(wishes); }),
            "2 --time: '3h' is not a time limit in Slurm's format\n  help: write minutes, HOURS:MINUTES:SECONDS or "
            "DAYS-HOURS: 90, "
            "1:30:00, 1-12");
  wishes.time = "2:00";
  EXPECT_EQ(refused([&] { check_slurm_options(wishes); }),
            "2 --time: 2:00 is not longer than the 180 seconds before its end at which the job is stopped\n  help: "
            "increase --time, or reduce --signal SECONDS, the time for saving a checkpoint");
  wishes = {};
  wishes.nodes = 2, wishes.tasks_per_node = 4, wishes.tasks = 6;
  EXPECT_EQ(refused([&] { check_slurm_options(wishes); }),
            "2 --ntasks: 2 nodes with 4 tasks each make 8 tasks, not 6\n  help: omit one of --nodes, --tasks-per-node "
            "and --ntasks");
  wishes = {};
  wishes.more = {"-p gpu"};
  EXPECT_EQ(refused([&] { check_slurm_options(wishes); }),
            "2 --sbatch: '-p gpu' is not a long option of sbatch\n  help: for example --sbatch=--qos=long");
}

spec::Spec ranks(int64_t count, int64_t threads = 1) {
  spec::Spec made;
  made.values = {{"name", "x"}, {"ranks", count}, {"threads", threads}};
  return made;
}

TEST(Allocation, IsThatOfTheLargestExperiment) {
  const auto made = allocation_for({ranks(2, 4), ranks(8)}, {});
  EXPECT_EQ(made.tasks, 8);
  EXPECT_EQ(made.threads, 4);
}

TEST(Allocation, RefusesNodesThatWouldStandIdle) {
  SlurmOptions wishes;
  wishes.nodes = 4;
  EXPECT_EQ(refused([&] { allocation_for({ranks(2)}, wishes); }),
            "2 x: has 2 ranks, too few for 4 nodes\n  help: set the number of ranks with --ntasks N, or in the "
            "script");
  wishes.nodes = 2, wishes.tasks_per_node = 2;
  EXPECT_EQ(refused([&] { allocation_for({ranks(2)}, wishes); }).substr(0, 28), "2 x: has 2 ranks, not 2 x 2\n");
  EXPECT_EQ(changes_of(wishes).at(0).value, 4);
}

}  // namespace
}  // namespace compeer::launch
