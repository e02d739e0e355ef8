// One experiment submitted as a job, and Slurm's replies.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <regex>

#include "fake_slurm.h"
#include "places.h"

namespace compeer::launch {
namespace {

namespace fs = std::filesystem;

class Submit : public FakeSlurm {};

TEST_F(Submit, MakesTheFolderAndHandsTheScriptOver) {
  const auto done = compeer({"submit", smoke, "--nodes", "2", "--time", "60"});
  const auto script = here() + "/results/smoke-grpo/job.sh";
  EXPECT_EQ(done.text, "job 17  smoke-grpo  " + script + "\n");
  EXPECT_EQ(done.exit, 0);
  EXPECT_EQ(read("asked"), "--parsable " + script + "\n");
  EXPECT_NE(read(script).find("#SBATCH --nodes=2\n#SBATCH --ntasks=2\n"), std::string::npos);
  EXPECT_NE(read(script).find("\nexport COMPEER_PLUGIN_PATH=" COMPEER_BINARY_DIR "/plugins\n"), std::string::npos);
  EXPECT_NE(read(script).find("\nexport OMP_NUM_THREADS=1\n"), std::string::npos);
  EXPECT_NE(read(script).find(" " + here() + "/worker \"$run\" --resume\n"), std::string::npos);
  EXPECT_EQ(fs::status(script).permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
  EXPECT_NE(read("results/smoke-grpo/spec.json").find("\"sha256\""), std::string::npos);
}

TEST_F(Submit, PrintsTheScriptAndDoesNothingInADryRun) {
  const auto shown = compeer({"submit", smoke, "--dry-run", "--tasks-per-node", "2", "--nodes", "2"}, "/nowhere");
  EXPECT_EQ(shown.exit, 0);
  EXPECT_EQ(shown.text.substr(0, 12), "#!/bin/bash\n");
  EXPECT_NE(shown.text.find("#SBATCH --ntasks=4\n"), std::string::npos);
  EXPECT_FALSE(fs::exists("results"));
  const auto all = as_json({"submit", smoke, "--dry-run"});
  EXPECT_TRUE(all["jobs"][0]["job"].is_null());
  EXPECT_EQ(all["jobs"][0]["runs"][0]["folder"], here() + "/results/smoke-grpo");
  EXPECT_FALSE(fs::exists("asked"));
}

TEST_F(Submit, WritesEverythingWithoutSlurmIfAsked) {
  const auto done = compeer({"submit", smoke, "--write-only", "--results", "my results"}, "/nowhere");
  const auto script = here() + "/my results/smoke-grpo/job.sh";
  EXPECT_EQ(done.text, "sbatch '" + script + "'\n");
  EXPECT_EQ(done.exit, 0);
  EXPECT_EQ(read(script).substr(0, 12), "#!/bin/bash\n");
  EXPECT_TRUE(fs::exists("my results/smoke-grpo/spec.json"));
  EXPECT_FALSE(fs::exists("my results/smoke-grpo/job.json"));
  EXPECT_FALSE(fs::exists("asked"));
  EXPECT_TRUE(as_json({"submit", smoke, "--write-only"})["jobs"][0]["job"].is_null());
  EXPECT_EQ(compeer({"submit", smoke, "--write-only", "--dry-run"}).exit, 2);
}

// 200.5 MiB per rank, plus a quarter: 250.6, rounded up to a multiple of 16 for each of its processors.
TEST_F(Submit, AsksForTheMemoryThatTheWorkerEstimates) {
  const auto script = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{"submit", smoke, "--dry-run"};
    command.insert(command.end(), more.begin(), more.end());
    return compeer(command).text;
  };
  EXPECT_NE(script({}).find("#SBATCH --cpus-per-task=1\n#SBATCH --mem-per-cpu=256M\n"), std::string::npos);
  EXPECT_NE(script({"--set", "threads=4"}).find("#SBATCH --mem-per-cpu=64M\n"), std::string::npos);
  EXPECT_NE(script({"--mem", "64G"}).find("#SBATCH --mem=64G\n"), std::string::npos);
  for (const auto& given : {"--mem=64G", "--sbatch=--mem-per-cpu=3G"})
    EXPECT_EQ(script({given}).find("#SBATCH --mem-per-cpu=256M"), std::string::npos) << given;
  EXPECT_EQ(script({"--mem", "much"}),
            "compeer: error: --mem: 'much' is not a size in Slurm's format\n  help: write the memory of a node: 4000M, "
            "64G; 0: all "
            "of its memory\n");
}

// 4 GiB more for CUDA: 5370.6.
TEST_F(Submit, AsksForMemoryOfCudaAndSaysIfNoGpuIsAskedFor) {
  const std::vector<std::string> command{
      "submit", smoke, "--dry-run", "--set", "model.engine=libtorch", "--set", "model.device=cuda"};
  const auto note =
      "compeer: note: smoke-grpo: model.device is 'cuda', but the job requests no GPU "
      "(--sbatch=--gres=gpu:N)\n";
  const auto shown = compeer(command).text;
  EXPECT_NE(shown.find("#SBATCH --mem-per-cpu=5376M\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find(note), std::string::npos) << shown;
  for (const char* asks : {"--sbatch=--gres=gpu:1", "--sbatch=--gpus-per-task=1"}) {
    auto more = command;
    more.emplace_back(asks);
    EXPECT_EQ(compeer(more).text.find(note), std::string::npos) << asks;
  }
}

TEST_F(Submit, SaysWhyItAsksForNoMemory) {
  worker("echo 'compeer: error: model.path: no such model' >&2; exit 4");
  const auto shown = compeer({"submit", smoke, "--dry-run"});
  EXPECT_EQ(shown.exit, 0);
  EXPECT_EQ(shown.text.find("--mem"), shown.text.find("--mem SIZE"));
  EXPECT_NE(
      shown.text.find("compeer: note: smoke-grpo: the job requests no memory (--mem SIZE), because it could not be "
                      "estimated: smoke-grpo: model.path: no such model\n"),
      std::string::npos)
      << shown.text;
}

TEST_F(Submit, AsksTheWorkerOnceAboutRunsOfOneSize) {
  worker("echo asked >> estimates; echo '{\"mib\":200}'");
  write("study.lua", R"(local compeer = require "compeer"
local base = compeer.load "experiments/smoke_grpo.toml"
compeer.sweep(base, { seed = { 1, 2 }, ["grpo.lr"] = { 1e-3, 2e-3 }, ["grpo.batch"] = { 2, 4 } }):run()
)");
  EXPECT_EQ(compeer({"submit", "study.lua", "--dry-run"}).exit, 0);
  EXPECT_EQ(read("estimates"), "asked\nasked\n");
}

TEST_F(Submit, LetsNothingBeSaidTwice) {
  EXPECT_EQ(
      compeer({"submit", smoke, "--sbatch=--cpus-per-task=8"}).text,
      "compeer: error: --sbatch: '--cpus-per-task' is already set by compeer submit\n  help: set 'threads' of the "
      "experiment: --set threads=N\n");
  for (const char* option : {"--ntasks=4", "--nodes=2", "--ntasks-per-node=2"})
    EXPECT_EQ(compeer({"submit", smoke, std::string("--sbatch=") + option}).exit, 2) << option;
}

TEST_F(Submit, ChecksEverythingBeforeSlurmIsAsked) {
  EXPECT_EQ(compeer({"submit", smoke, "--set", "grpo.stesp=3"}).exit, 3);
  EXPECT_EQ(compeer({"submit", smoke, "--time", "soon"}).exit, 2);
  EXPECT_EQ(compeer({"submit", smoke, "--nodes", "3"}).exit, 2);
  EXPECT_EQ(compeer({"submit", smoke, "--set", "model.path=\"gone\""}).exit, 3);
  EXPECT_FALSE(fs::exists("asked"));
  EXPECT_FALSE(fs::exists("results"));
}

TEST_F(Submit, SaysWhatHelpsWhereSlurmIsMissing) {
  const auto done = compeer({"submit", smoke}, "/nowhere");
  EXPECT_EQ(done.exit, 1);
  EXPECT_EQ(done.text,
            "compeer: error: sbatch: is not installed\n  help: submit from a machine of the cluster; without sbatch, "
            "--write-only writes the scripts, --dry-run prints them\n");
  write("one.lua", "local compeer = require 'compeer'\ncompeer.load('experiments/smoke_grpo.toml'):launch()\n");
  EXPECT_EQ(compeer({"submit", "one.lua"}, "/nowhere").text, done.text) << "no note about a job before the error";
  EXPECT_FALSE(fs::exists("results"));
}

TEST_F(Submit, NamesListsOfAllowedPluginsInFull) {
  EXPECT_EQ(compeer({"plugins", "lock", "--output", "mine.lock"}).exit, 0);
  EXPECT_EQ(compeer({"submit", smoke, "--locked=mine.lock"}, {}, "COMPEER_LOCKED=./mine.lock").exit, 0);
  EXPECT_NE(read("results/smoke-grpo/job.sh")
                .find("\nexport COMPEER_LOCKED=" + here() + "/mine.lock:" + here() + "/mine.lock\n"),
            std::string::npos);
}

TEST_F(Submit, RefusesAListThatOtherHostsDoNotSee) {
  const fs::path memory = "/dev/shm";
  struct stat of_memory = {}, of_folder = {};
  if (::stat(memory.c_str(), &of_memory) != 0 || ::stat(folder_.c_str(), &of_folder) != 0 ||
      of_memory.st_dev == of_folder.st_dev)
    GTEST_SKIP() << "there is no /dev/shm apart from the folder of this test";
  const auto list = (memory / fmt::format("compeer-test-{}.lock", ::getpid())).string();
  EXPECT_EQ(compeer({"plugins", "lock", "--output", list}).exit, 0);
  const auto refused = compeer({"submit", smoke, "--locked=" + list});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_EQ(refused.text,
            "compeer: error: " + list +
                ": plugin allow list can't be read by other hosts: it is in this host's memory\n  help: move the "
                "file to the results folder or another folder that all hosts share\n");
  EXPECT_FALSE(fs::exists("asked"));
  EXPECT_EQ(
      compeer({"submit", smoke, "--locked=" + list, "--results", (memory / "results").string(), "--dry-run"}).exit, 0)
      << "where the results are seen, so is the list";
  fs::remove(list);
}

TEST_F(Submit, PassesOnAllThatSbatchSays) {
  program("sbatch", "echo 'sbatch: error: invalid partition specified: gpu'; echo 'sbatch: error: no way' >&2; exit 1");
  const auto done = compeer({"submit", smoke, "--partition", "gpu"});
  EXPECT_EQ(done.exit, 1);
  EXPECT_EQ(done.text,
            "compeer: error: sbatch: ended with exit code 1:\nsbatch: error: invalid partition specified: gpu\n"
            "sbatch: error: no way\n  help: correct the options, or edit the script and run: sbatch " +
                here() + "/results/smoke-grpo/job.sh\n");
}

TEST_F(Submit, FindsTheNumberBesideWhatTheSiteSays) {
  program("sbatch", "echo 'sbatch: Welcome to 2 new nodes' >&2; echo '42;cluster'");
  EXPECT_EQ(as_json({"submit", smoke})["jobs"][0]["job"], "42");
}

TEST_F(Submit, TakesTheLastNumberThatSbatchSays) {
  program("sbatch", "echo 'Hours left:'; echo 12345; echo 43");
  EXPECT_EQ(as_json({"submit", smoke})["jobs"][0]["job"], "43");
  program("sbatch", "printf 44");  // no newline
  EXPECT_EQ(as_json({"submit", smoke})["jobs"][0]["job"], "44");
}

TEST_F(Submit, SaysThatAJobWithoutANumberMayBeInTheQueue) {
  program("sbatch", "echo Submitted");
  const auto done = compeer({"submit", smoke});
  EXPECT_EQ(done.exit, 1);
  EXPECT_EQ(done.text,
            "compeer: error: sbatch: printed no job number:\nSubmitted\n  help: check squeue before you "
            "submit again: the job may be queued\n");
}

TEST_F(Submit, LeavesAloneWhatWaitsInTheQueueOrHasFinished) {
  EXPECT_EQ(compeer({"submit", smoke}).exit, 0);
  program("squeue", "echo \"$*\" >> looked; echo PENDING");
  const auto again = compeer({"submit", smoke});
  EXPECT_EQ(again.text, "compeer: note: smoke-grpo: is job 17 (PENDING)\ncompeer: note: nothing is left to submit\n");
  EXPECT_EQ(again.exit, 0);
  EXPECT_EQ(read("looked"), "--noheader --jobs 17 --format %T\n");
  EXPECT_EQ(as_json({"submit", smoke}), nlohmann::json({{"jobs", nlohmann::json::array()},
                                                        {"queued",
                                                         {{{"name", "smoke-grpo"},
                                                           {"folder", here() + "/results/smoke-grpo"},
                                                           {"job", "17"},
                                                           {"state", "PENDING"}}}},
                                                        {"finished", nlohmann::json::array()}}));
  EXPECT_EQ(compeer({"run", smoke, "--ranks", "2", "-q"}).exit, 0);  // the same way the job would run it
  EXPECT_EQ(compeer({"submit", smoke}).text,
            "smoke-grpo: finished before, in results/smoke-grpo\ncompeer: note: nothing is left to submit\n");
}

TEST_F(Submit, SaysWhatIsForScriptsOnly) {
  EXPECT_EQ(compeer({"submit", smoke, "--array-limit", "2"}).text,
            "compeer: error: --array-limit: is only for scripts with several experiments\n");
  EXPECT_EQ(compeer({"submit", smoke, "--quick"}).exit, 2);
}

TEST_F(Submit, LaunchesStepsOfSrunWithinAnAllocation) {
  program("srun", "echo \"$*\" >> asked; while [ \"${1#-}\" != \"$1\" ]; do shift; done; exec \"$@\"");
  ::setenv("COMPEER_LAUNCHER", "srun", 1);
  const auto done = compeer({"run", smoke, "-q"});
  ::setenv("COMPEER_LAUNCHER", "sruhn", 1);
  const auto other = compeer({"run", smoke, "-q", "--fresh"});
  ::unsetenv("COMPEER_LAUNCHER");
  EXPECT_EQ(done.exit, 0) << done.text;
  EXPECT_EQ(read("asked"), "--mpi=pmix --export=ALL --kill-on-bad-exit=1 --ntasks=2 --cpus-per-task=1 " + here() +
                               "/worker results/smoke-grpo\n");
  EXPECT_EQ(other.exit, 2);
  EXPECT_EQ(
      other.text,
      "compeer: error: COMPEER_LAUNCHER: there is no launcher 'sruhn'\n  help: did you mean 'srun'? known: mpirun, "
      "srun\n");
}

// Scripts become job arrays, one job for the whole script, or jobs for the runs that are ready.

const std::string sweep_script = R"(local compeer = require "compeer"
local base = compeer.load "experiments/smoke_grpo.toml"
local done = compeer.sweep(base, { seed = { 1, 2, 3 } }):run()
print(done:table("seed", "reward"))
)";
const std::string chain = R"(local compeer = require "compeer"
local base = compeer.load "experiments/smoke_grpo.toml"
local first = base:with { name = "first" }:launch()
base:with { name = "alone" }:launch()
base:with { name = "second", model = { path = first.checkpoint, config = {} } }:launch()
)";

class SubmitScript : public FakeSlurm {};

TEST_F(SubmitScript, MakesAnArrayOfWhatASweepHasLeft) {
  write("sweep.lua", sweep_script);
  write("one.lua",
        "local compeer = require \"compeer\"\nlocal base = compeer.load \"experiments/smoke_grpo.toml\"\n"
        "compeer.sweep(base, { seed = { 2 } }):run()\n");
  EXPECT_EQ(compeer({"run", "one.lua", "-q"}).exit, 0);
  // The finished run was made by another script, which does not matter.
  const auto all = as_json({"submit", "sweep.lua", "--array-limit", "4"});
  ASSERT_EQ(all["jobs"].size(), 1u) << all;
  EXPECT_EQ(all["finished"][0]["name"], "smoke-grpo-seed_2");
  EXPECT_EQ(all["jobs"][0]["runs"][0]["name"], "smoke-grpo-seed_1");
  EXPECT_EQ(all["jobs"][0]["runs"][1]["name"], "smoke-grpo-seed_3");
  const auto script = read("results/sweep.jobs/array.sh");
  EXPECT_NE(script.find("#SBATCH --array=0-1%4\n"), std::string::npos);
  EXPECT_NE(script.find("runs=(\n  " + here() + "/results/smoke-grpo-seed_1\n  " + here() +
                        "/results/smoke-grpo-seed_3\n)\n"),
            std::string::npos);
  EXPECT_EQ(read("results/smoke-grpo-seed_3/job.json"), "{\"job\":\"17_1\"}\n");
  program("squeue", "[ \"$3\" = 17_1 ] && echo RUNNING");
  const auto again = compeer({"submit", "sweep.lua"});
  EXPECT_NE(again.text.find("smoke-grpo-seed_3: is job 17_1 (RUNNING)\n"), std::string::npos) << again.text;
  EXPECT_NE(again.text.find("job 17  smoke-grpo-seed_1  "), std::string::npos) << again.text;
}

TEST_F(SubmitScript, GivesExperimentsOfOneNameFoldersOfTheirOwn) {
  write("names.lua", R"(local compeer = require "compeer"
local base = compeer.load "experiments/smoke_grpo.toml"
base:launch()
base:with { seed = 5 }:launch()
base:with { ranks = 1 }:launch()
base:launch()
)");
  const auto all = as_json({"submit", "names.lua"});
  ASSERT_EQ(all["jobs"].size(), 2u) << all;  // an array of two, and a run that needs another allocation
  for (const auto& job : all["jobs"]) {
    for (const auto& run : job["runs"]) EXPECT_TRUE(fs::exists(run["folder"].get<std::string>() + "/spec.json"));
  }
  EXPECT_EQ(all["jobs"][0]["script"], here() + "/results/smoke-grpo/job.sh");
  EXPECT_EQ(all["jobs"][1]["script"], here() + "/results/names.jobs/array-2x1.sh");
}

TEST_F(SubmitScript, RunsAScriptWholeIfItsExperimentsNeedOneAnother) {
  write("chain.lua", chain);
  const auto done = compeer({"submit", "chain.lua", "--set", "grpo.steps=3", "--ntasks", "1"});
  EXPECT_EQ(done.text,
            "compeer: note: one job for the whole script: 'second' reads files that 'first' has not written yet\njob "
            "17  chain.lua  " +
                here() + "/results/chain.jobs/script.sh\n");
  EXPECT_NE(read("results/chain.jobs/script.sh")
                .find("bin/compeer run " + here() +
                      "/chain.lua --results results --set grpo.steps=3 --ranks 1 &\ncompeer=$!\n"),
            std::string::npos);
  EXPECT_FALSE(fs::exists("results/first"));
  program("squeue", "echo RUNNING");
  EXPECT_EQ(compeer({"submit", "./chain.lua", "--set", "grpo.steps=3", "--ntasks", "1"}).text,
            "compeer: note: chain.lua: is job 17 (RUNNING)\ncompeer: note: nothing is left to submit\n");
}

TEST_F(SubmitScript, TellsStudiesOfOneFileNameApart) {
  for (const char* folder : {"a", "b"}) {
    fs::create_directories(folder);
    write(fs::path(folder) / "chain.lua", chain);
    write(fs::path(folder) / "sweep.lua", sweep_script);
  }
  EXPECT_EQ(as_json({"submit", "a/chain.lua"})["jobs"][0]["script"], here() + "/results/chain.jobs/script.sh");
  program("squeue", "[ \"$3\" = 17 ] && echo PENDING");
  program("sbatch", "echo 18");
  const auto other = as_json({"submit", "b/chain.lua"});
  ASSERT_EQ(other["jobs"].size(), 1u) << other;
  // The folder name has a hash of study.json, which contains the script's path, so the digits differ between machines.
  EXPECT_TRUE(std::regex_match(other["jobs"][0]["script"].get<std::string>(),
                               std::regex(".*/results/chain-[0-9a-f]{8}\\.jobs/script\\.sh")))
      << other;
  const auto changed = as_json({"submit", "a/chain.lua", "--set", "seed=2"});
  ASSERT_EQ(changed["jobs"].size(), 1u) << changed;
  EXPECT_NE(changed["jobs"][0]["script"], other["jobs"][0]["script"]);
  program("squeue", "echo PENDING");
  for (const char* again : {"a/chain.lua", "b/../b/chain.lua"})
    EXPECT_EQ(as_json({"submit", again})["queued"][0]["name"], "chain.lua");

  program("squeue", "exit 1");
  const auto first = as_json({"submit", "a/sweep.lua"}), second = as_json({"submit", "b/sweep.lua"});
  EXPECT_EQ(first["jobs"][0]["script"], here() + "/results/sweep.jobs/array.sh");
  EXPECT_NE(second["jobs"][0]["script"], first["jobs"][0]["script"]);
}

TEST_F(SubmitScript, RefusesAnArrayOfExperimentsThatNeedOneAnother) {
  write("chain.lua", chain);
  const auto done = compeer({"submit", "chain.lua", "--array-limit", "2"});
  EXPECT_EQ(done.exit, 2);
  EXPECT_EQ(
      done.text,
      "compeer: error: --array-limit: chain.lua can't be a job array: 'second' reads files that 'first' has not "
      "written yet\n"
      "  help: use --ready to submit the experiments that wait for no other, or omit --array-limit to run the whole "
      "script as one job\n");
}

TEST_F(SubmitScript, SubmitsWhatIsReadyIfAsked) {
  write("chain.lua", chain);
  const auto all = as_json({"submit", "chain.lua", "--ready", "--ntasks", "1"});
  ASSERT_EQ(all["jobs"].size(), 1u) << all;
  EXPECT_EQ(all["jobs"][0]["runs"].size(), 2u);
  EXPECT_EQ(all["jobs"][0]["runs"][1]["name"], "alone");
  worker("mkdir -p \"$run/checkpoints/last\"; echo '{}' > \"$run/checkpoints/last/config.json\"; finish");
  for (const char* name : {"first", "alone"}) EXPECT_EQ(compeer({"resume", "results/" + std::string(name)}).exit, 0);
  const auto rest = as_json({"submit", "chain.lua", "--ntasks", "1"});  // this run is ready now, too
  ASSERT_EQ(rest["jobs"].size(), 1u) << rest;
  EXPECT_EQ(rest["jobs"][0]["runs"][0]["name"], "second");
  EXPECT_EQ(rest["jobs"][0]["script"], here() + "/results/second/job.sh");
}

TEST_F(SubmitScript, RunsAScriptWholeIfItLooksAtEachRunBeforeTheNext) {
  write("loop.lua", R"(local compeer = require "compeer"
local base = compeer.load "experiments/smoke_grpo.toml"
for _, clip in ipairs { 0.1, 0.2 } do
  print(base:with { name = "clip-" .. clip, grpo = { clip = clip } }:launch().reward)
end
)");
  const auto done = compeer({"submit", "loop.lua"});
  EXPECT_EQ(done.text.substr(0, done.text.find('\n')),
            "compeer: note: one job for the whole script: the dry run ends at loop.lua:4, which needs 'reward' of run "
            "'clip-0.1'");
  EXPECT_TRUE(fs::exists("results/loop.jobs/script.sh"));
}

}  // namespace
}  // namespace compeer::launch
