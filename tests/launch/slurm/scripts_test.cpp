// Scripts become arrays, one job for the whole, or jobs of what is ready.
#include <regex>

#include "fake_slurm.h"

namespace compeer::launch {
namespace {

namespace fs = std::filesystem;

const std::string sweep = R"(local compeer = require "compeer"
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
  write("sweep.lua", sweep);
  write("one.lua",
        "local compeer = require \"compeer\"\nlocal base = compeer.load \"experiments/smoke_grpo.toml\"\n"
        "compeer.sweep(base, { seed = { 2 } }):run()\n");
  EXPECT_EQ(compeer({"run", "one.lua", "-q"}).exit, 0);
  // The finished run was made by another script; what a run is does not depend on that.
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
  ASSERT_EQ(all["jobs"].size(), 2u) << all;  // an array of two, and one that needs another allocation
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
            "compeer: note: one job for the whole script: 'second' reads what 'first' is to make\njob 17  chain.lua  " +
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
    write(fs::path(folder) / "sweep.lua", sweep);
  }
  EXPECT_EQ(as_json({"submit", "a/chain.lua"})["jobs"][0]["script"], here() + "/results/chain.jobs/script.sh");
  program("squeue", "[ \"$3\" = 17 ] && echo PENDING");
  program("sbatch", "echo 18");
  const auto other = as_json({"submit", "b/chain.lua"});
  ASSERT_EQ(other["jobs"].size(), 1u) << other;
  // study.json: of the script in full, so the digits differ from place to place
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
  EXPECT_EQ(done.text,
            "compeer: error: --array-limit: chain.lua can't be a job array: 'second' reads what 'first' is to make\n"
            "  help: --ready submits what waits for nothing; without --array-limit one job runs the whole script\n");
}

TEST_F(SubmitScript, SubmitsWhatIsReadyIfAsked) {
  write("chain.lua", chain);
  const auto all = as_json({"submit", "chain.lua", "--ready", "--ntasks", "1"});
  ASSERT_EQ(all["jobs"].size(), 1u) << all;
  EXPECT_EQ(all["jobs"][0]["runs"].size(), 2u);
  EXPECT_EQ(all["jobs"][0]["runs"][1]["name"], "alone");
  worker("mkdir -p \"$run/checkpoints/last\"; echo '{}' > \"$run/checkpoints/last/config.json\"; finish");
  for (const char* name : {"first", "alone"}) EXPECT_EQ(compeer({"resume", "results/" + std::string(name)}).exit, 0);
  const auto rest = as_json({"submit", "chain.lua", "--ntasks", "1"});  // now it is ready, too
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
