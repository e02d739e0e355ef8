#include "fake_worker.h"
#include "launch/process.h"
#include "places.h"

namespace compeer::launch {
namespace {

namespace fs = std::filesystem;

// Runs the program itself, with real plugins and a fake worker.
class Run : public FakeWorker {
 protected:
  Run() { worker("finish"); }
  static ProgramOutput compeer(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), COMPEER_BINARY_DIR "/bin/compeer");
    return run_program(arguments, {"COMPEER_PLUGIN_PATH=" COMPEER_BINARY_DIR "/plugins",
                                   "COMPEER_HOME=" COMPEER_SOURCE_DIR, "NO_COLOR=1"});
  }
  static const std::string smoke;
};
const std::string Run::smoke = COMPEER_SOURCE_DIR "/experiments/smoke_grpo.toml";

TEST_F(Run, PrintsTheMetricsOfARun) {
  const auto first = compeer({"run", smoke, "--ranks", "1", "-q"});
  EXPECT_EQ(first.text,
            "          mean\nresult\n  reward   1.5\n\n"
            "report      results/smoke-grpo/report.html\nlog         results/smoke-grpo/log.txt\n");
  EXPECT_EQ(read("results/smoke-grpo/report.html").substr(0, 15), "<!DOCTYPE html>");
  EXPECT_EQ(first.exit, 0);
  const auto again = compeer({"run", smoke, "--ranks", "1"});
  EXPECT_EQ(again.text.substr(0, again.text.find('\n')),
            "smoke-grpo: finished before, results read from results/smoke-grpo");
  EXPECT_EQ(again.exit, 0);
}

TEST_F(Run, EndsWithTheRunsExitCode) {
  worker(
      R"(echo '{"rank":0,"host":"n07","phase":"score","plugin":"rewards/format 1.0.0","where":"","what":"no score","help":"","exit":5}' > "$run/error.json"; exit 5)");
  const auto done = compeer({"run", smoke, "--ranks", "1", "-q"});
  EXPECT_EQ(done.exit, 5);
  EXPECT_EQ(done.text,
            "compeer: error: run smoke-grpo, rank 0 on n07, phase score, plugin rewards/format 1.0.0: no score\n");
}

TEST_F(Run, WritesIntoAFolderThatBeginsWithADash) {
  worker("case \"$run\" in -*) exit 2;; esac; finish");
  EXPECT_EQ(compeer({"run", smoke, "--ranks", "1", "-q", "--results", "-dash"}).exit, 0);
  EXPECT_EQ(read("-dash/smoke-grpo/log.txt"), "called with ./-dash/smoke-grpo\n");
}

TEST_F(Run, StartsNothingInADryRun) {
  const auto planned = compeer({"run", smoke, "--dry-run", "--set", "grpo.steps=3", "--results", "elsewhere"});
  EXPECT_EQ(planned.exit, 0);
  EXPECT_EQ(planned.text.substr(0, 12), "smoke-grpo  ");
  EXPECT_EQ(planned.text.substr(12 + 64), "  elsewhere/smoke-grpo  starts\n\nrecords and memory can't be estimated\n");
  EXPECT_FALSE(fs::exists("elsewhere"));
}

TEST_F(Run, RunsAScript) {
  write("study.lua", R"(local compeer = require "compeer"
local base = compeer.load "experiments/smoke_grpo.toml"
local done = compeer.sweep(base, { seed = { 1, 2 } }):run { jobs = 2 }
print(done:table("seed", "grpo.steps", "reward"))
)");
  const auto first = compeer({"run", "study.lua", "--ranks", "1", "--set", "grpo.steps=3", "-q"});
  EXPECT_EQ(first.text, "seed  grpo.steps  runs  reward\n1     3           1     1.5\n2     3           1     1.5\n");
  EXPECT_TRUE(fs::exists("results/smoke-grpo-seed_2/summary.json"));
  EXPECT_NE(read("results/smoke-grpo-seed_2/spec.json").find("study.lua"), std::string::npos);
}

TEST_F(Run, AsksAScriptToBeQuickInAFolderOfItsOwn) {
  write("study.lua", R"(local compeer = require "compeer"
local run = compeer.load("experiments/smoke_grpo.toml"):with { grpo = { steps = compeer.quick and 2 or 8 } }:launch()
print(compeer.quick, compeer.folder, run.path, run:get "grpo.steps")
)");
  EXPECT_EQ(compeer({"run", "study.lua", "--ranks", "1", "--quick", "-q"}).text,
            "true\tresults/quick\tresults/quick/smoke-grpo\t2\n");
  EXPECT_EQ(compeer({"run", "study.lua", "--ranks", "1", "-q"}).text, "false\tresults\tresults/smoke-grpo\t8\n");
  EXPECT_EQ(compeer({"run", "study.lua", "--ranks", "1", "--quick", "--results", "mine", "-q"}).text,
            "true\tmine\tmine/smoke-grpo\t2\n");
  const auto refused = compeer({"run", smoke, "--quick"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_EQ(refused.text,
            "compeer: error: --quick: is only for scripts\n  help: use --set to make an experiment smaller\n");
}

TEST_F(Run, EndsAScriptAtARunThatFails) {
  worker("exit 4");
  write("study.lua",
        "local compeer = require \"compeer\"\ncompeer.load(\"experiments/smoke_grpo.toml\"):launch()\nprint(1)\n");
  const auto done = compeer({"run", "study.lua", "--ranks", "1", "-q"});
  EXPECT_EQ(done.exit, 4);
  EXPECT_EQ(done.text,
            "compeer: error: run smoke-grpo: ended with exit code 4\n  the last lines of its log:\n"
            "    called with results/smoke-grpo\n  in the main chunk (study.lua:2)\n"
            "  help: see results/smoke-grpo/log.txt\n");
  write("study.lua", R"(local compeer = require "compeer"
local base = compeer.load "experiments/smoke_grpo.toml"
base:launch()
base:with { name = "second" }:launch()
compeer.sweep(base:with { name = "s" }, { seed = { 1, 2 } }):run()
)");
  const auto text = compeer({"run", "study.lua", "--ranks", "1", "-q"}).text;
  EXPECT_TRUE(
      text.starts_with("compeer: note: not started: second, s-seed_1, s-seed_2\ncompeer: error: run smoke-grpo:"))
      << text;
}

TEST_F(Run, GoesOnWithASweepWhenRunsFailAndSaysSoAtItsEnd) {
  worker("case \"$run\" in *none-seed_2*) exit 4;; *none-seed_3*) kill -9 $$;; esac\nfinish");
  write("study.lua", R"(local compeer = require "compeer"
local base = compeer.load("experiments/smoke_grpo.toml"):with { name = "s", grpo = { steps = 3 } }
local done = compeer.sweep(base, { ["reweighting.plugin"] = { "none", "redundancy" }, seed = { 1, 2, 3 } }):run()
print(done:table("reweighting.plugin", "reward"))
print(done:compare { "reward", against = { ["reweighting.plugin"] = "none" } })
)");
  const auto done = compeer({"run", "study.lua", "--ranks", "1", "-q"});
  EXPECT_EQ(done.exit, 1);  // the runs failed for different reasons
  const std::string failed =
      "s-plugin_none-seed_2 failed (exit 4): ended with exit code 4\n"
      "s-plugin_none-seed_3 failed (exit 1): was killed by signal 9 (Killed)\n";
  EXPECT_EQ(done.text,
            "reweighting.plugin  runs    reward\n"
            "none                1 of 3  1.5\n"
            "redundancy          3       1.5 [1.5, 1.5]\n"
            "[ ]: 95 % intervals over runs (Student's t); a single run has none\n" +
                failed +
                "differences from reweighting.plugin = none, paired by seed\n"
                "reweighting.plugin  pairs  reward\n"
                "redundancy          1      +0\n" +
                failed +
                "s-plugin_redundancy-seed_2 is left out: its base run s-plugin_none-seed_2 failed\n"
                "s-plugin_redundancy-seed_3 is left out: its base run s-plugin_none-seed_3 failed\n"
                "compeer: error: the script ended, but runs failed:\n"
                "  s-plugin_none-seed_2 failed (exit 4): ended with exit code 4\n"
                "  s-plugin_none-seed_3 failed (exit 1): was killed by signal 9 (Killed)\n"
                "  help: run the same command again: it repeats these runs and reuses the finished ones\n");
}

TEST_F(Run, KeepsTheTextOfARewardWhateverBecomesOfItsFile) {
  write("kind.lua", "return function() return 1 end\n");
  const std::vector<std::string> command{
      "run", smoke, "--ranks", "1", "-q", "--set", "rewards=[{ plugin = \"lua\", path = \"kind.lua\" }]"};
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  EXPECT_EQ(compeer(command).exit, 1);
  const auto spec = read("results/smoke-grpo/spec.json");
  EXPECT_NE(spec.find("\"script\": \"return function() return 1 end\""), std::string::npos);
  write("kind.lua", "return function() return 2 end\n");
  worker("[ \"$2\" = --resume ] && finish");
  EXPECT_EQ(compeer({"resume", "results/smoke-grpo", "-q"}).exit, 0);
  EXPECT_EQ(read("results/smoke-grpo/spec.json"), spec);
  worker("finish");
  EXPECT_EQ(compeer(command).exit, 0);  // another reward makes another run
  EXPECT_EQ(std::distance(fs::directory_iterator("results"), fs::directory_iterator()), 2);
}

TEST_F(Run, TellsAMistakeInAScriptBeforeAnythingStarts) {
  write("study.lua",
        "local compeer = require \"compeer\"\nlocal base = compeer.load \"experiments/smoke_grpo.toml\"\n"
        "base:launch()\nbase:with {\n  grpo = { stesp = 3 },\n}\n");
  const auto done = compeer({"run", "study.lua", "--ranks", "1", "-q"});
  EXPECT_EQ(done.exit, 3);
  EXPECT_EQ(done.text.substr(0, 115),
            "compeer: error: study.lua:5: unknown key 'grpo.stesp'\n    5 |   grpo = { stesp = 3 },\n  help: did you "
            "mean 'steps'?");
}

TEST_F(Run, GoesOnWithARun) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  EXPECT_EQ(compeer({"run", smoke, "--ranks", "1", "-q"}).exit, 1);
  worker("[ \"$2\" = --resume ] && finish");
  EXPECT_EQ(compeer({"resume", "results/smoke-grpo", "-q"}).exit, 0);
  const auto again = compeer({"resume", "smoke-grpo"});
  EXPECT_EQ(again.exit, 0);
  EXPECT_EQ(again.text.substr(0, 28), "smoke-grpo: finished before,");
  EXPECT_EQ(compeer({"resume", "results/none"}).exit, 4);
  write("results/smoke-grpo/summary.json", R"({"task":"data","steps":8,"metrics":{},"details":{"stages":[3]}})");
  const auto damaged = compeer({"resume", "results/smoke-grpo"});
  EXPECT_EQ(damaged.exit, 4);
  EXPECT_NE(damaged.text.find("results/smoke-grpo/summary.json: is invalid: "), std::string::npos) << damaged.text;
}

// Experiments that each name the run of the previous one as input.
class Chain : public Run {
 protected:
  Chain() {
    worker("echo \"$run $2\" >>order; mkdir -p \"$run/checkpoints/last\"; finish");
    write("mine/first.toml", changed("first", ""));
    write("mine/the_second.toml", changed("the-second", "path = { run = \"first\" }\n"));
    write("mine/third.toml", changed("third", "path = { run = \"the-second\" }\n"));
  }
  // Returns the smoke experiment under another name, with a new model or the given one.
  static std::string changed(const std::string& name, const std::string& model) {
    auto text = read(smoke);
    text.replace(text.find("\"smoke-grpo\""), 12, '"' + name + '"');
    text.replace(text.find("ranks = 2"), 9, "ranks = 1");
    if (model.empty()) return text;
    const auto start = text.find("tokenizer"), end = text.find("[dataset]");
    return text.replace(start, end - start, model);
  }
};

TEST_F(Chain, IsRunFromItsBeginningEachOnce) {
  const auto done = compeer({"run", "mine/third.toml"});
  EXPECT_EQ(done.exit, 0) << done.text;
  EXPECT_EQ(read("order"), "results/first \nresults/the-second \nresults/third \n");
  EXPECT_NE(done.text.find("compeer: note: the-second (model.path) needs first\n"), std::string::npos) << done.text;
  EXPECT_NE(done.text.find("compeer: note: third (model.path) needs the-second\n"), std::string::npos) << done.text;
  EXPECT_NE(read("results/third/spec.json").find("\"path\": \"results/the-second/checkpoints/last\""),
            std::string::npos);
  EXPECT_EQ(compeer({"run", "mine/third.toml", "-q"}).exit, 0);
  EXPECT_EQ(read("order"), "results/first \nresults/the-second \nresults/third \n");
  EXPECT_EQ(compeer({"run", "mine/third.toml", "-q", "--fresh"}).exit, 0);  // --fresh does not repeat the inputs
  EXPECT_EQ(read("order"), "results/first \nresults/the-second \nresults/third \nresults/third \n");
}

TEST_F(Chain, EndsWithTheErrorOfAnInputAndGoesOnWithIt) {
  worker("echo \"$run $2\" >>order; mkdir -p \"$run/checkpoints/step-000004\"; kill -9 $$");
  const auto failed = compeer({"run", "mine/third.toml", "-q"});
  EXPECT_EQ(failed.exit, 1);
  EXPECT_EQ(failed.text.substr(0, 58), "compeer: error: run first: was killed by signal 9 (Killed)") << failed.text;
  EXPECT_FALSE(fs::exists("results/the-second"));
  worker("echo \"$run $2\" >>order; mkdir -p \"$run/checkpoints/last\"; finish");
  EXPECT_EQ(compeer({"run", "mine/third.toml", "-q"}).exit, 0);
  EXPECT_EQ(read("order"), "results/first \nresults/first --resume\nresults/the-second \nresults/third \n");
}

TEST_F(Chain, IsListedAndCheckedInADryRun) {
  const auto planned = compeer({"run", "mine/third.toml", "--dry-run"});
  EXPECT_EQ(planned.exit, 0) << planned.text;
  const auto first = planned.text.find("results/first  starts"),
             second = planned.text.find("results/the-second  starts"),
             third = planned.text.find("results/third  starts; the hash will change when 'model.path' exists\n");
  EXPECT_LT(first, second) << planned.text;
  EXPECT_LT(second, third) << planned.text;
  EXPECT_FALSE(fs::exists("results"));
  write("mine/first.toml", changed("first", "") + "\n[gpro]\n");
  const auto misspelt = compeer({"run", "mine/third.toml", "--dry-run"});
  EXPECT_EQ(misspelt.exit, 3);
  EXPECT_EQ(misspelt.text.substr(0, 54), "compeer: error: mine/first.toml:43: unknown key 'gpro'") << misspelt.text;
  write("mine/first.toml", changed("first", "") + "\n[gpro\n");
  EXPECT_NE(compeer({"run", "mine/third.toml", "--dry-run"})
                .text.find("'model.path' names the run 'first': mine/first.toml:43: "),
            std::string::npos);
  write("mine/first.toml", changed("first", "path = { run = \"third\" }\n"));
  const auto cycle = compeer({"run", "mine/third.toml", "--dry-run"});
  EXPECT_EQ(cycle.exit, 3);
  EXPECT_EQ(
      cycle.text,
      "compeer: error: mine/first.toml:10: 'model.path': these runs need each other: third -> the-second -> first -> "
      "third\n  help: change one of them to name another run, or the path of existing models or records\n");
}

TEST_F(Chain, IsRunForAScript) {
  write("study.lua", R"(local compeer = require "compeer"
local run = compeer.load("mine/the_second.toml"):launch()
print(compeer.load("mine/third.toml"):inputs()["model.path"])
local again = compeer.load("mine/third.toml"):with { name = "again", model = { path = run.output } }
print(again:get "model.path", again:launch().name)
)");
  const auto done = compeer({"run", "study.lua", "-q"});
  EXPECT_EQ(done.exit, 0);
  EXPECT_EQ(
      done.text,
      "compeer: note: the-second (model.path) needs first\nthe-second\nresults/the-second/checkpoints/last\tagain\n");
  EXPECT_EQ(read("order"), "results/first \nresults/the-second \nresults/again \n");
}

TEST_F(Chain, IsNotSubmittedBeforeItsInputsAreThere) {
  const auto refused = compeer({"submit", "mine/the_second.toml", "--dry-run"});
  EXPECT_EQ(refused.exit, 3);
  EXPECT_EQ(
      refused.text,
      "compeer: error: the-second (model.path) needs first, which has not finished\n  help: submit 'first' first, and "
      "this experiment when it has finished; or submit a script, which includes the runs that its experiments need\n");
}

}  // namespace
}  // namespace compeer::launch
