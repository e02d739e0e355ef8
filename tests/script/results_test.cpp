#include <gtest/gtest.h>

#include "fake_actions.h"

namespace compeer::script {
namespace {

std::shared_ptr<FakeActions> failing(const std::string& name, Exit exit = Exit::plugin) {
  auto fake = std::make_shared<FakeActions>();
  fake->answer_ = [name, exit](RunResult& result) {
    if (result.name != name) return;
    result.state = RunResult::State::failed;
    result.metrics.clear();
    result.error = Error("rewards/format 1.0.0", "rank 1 gave up", "mend it", exit);
  };
  return fake;
}

TEST(Launch, GivesAResultWithItsMetrics) {
  EXPECT_EQ(
      said(base + R"(
    local run = base:launch()
    print(run, run.name, run.path, run.state, run.reused, run.exit, run.error)
    print(run.reward, run["rewards/format/score"], run:interval "reward")
    print(run.checkpoint, run:get "grpo.batch", (run:interval "rewards/format/score"))
  )"),
      "run x "
      "(finished)\tx\tresults/x\tfinished\tfalse\t0\tnil\n1.5\t0.5\t1.25\t1.75\nresults/x/checkpoints/last\t8\tnil\n");
}

TEST(Launch, NamesTheNearestMetric) {
  EXPECT_EQ(said(base + "print(base:launch().rewrad)"),
            "script.lua:2: run 'x' has no metric 'rewrad'|did you mean 'reward'? known: reward, rewards/format/score");
}

TEST(Launch, EndsTheScriptWithTheRunsExitCode) {
  const auto outcome = run_with(failing("x"), base + "base:launch()\nprint('never')");
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_EQ(outcome.printed, "");
  EXPECT_EQ(outcome.where, "rewards/format 1.0.0");
  EXPECT_EQ(outcome.problem, "rank 1 gave up\n  in the main chunk (script.lua:2)");
  EXPECT_EQ(outcome.help, "mend it");
}

TEST(Launch, KeepsTheErrorThroughPcallAndRethrow) {
  const auto outcome = run_with(failing("x"), base + R"(
    local ok, e = pcall(function() return base:launch() end)
    print(ok, e.exit, e.what, e.where, e.help)
    print("it says: " .. e)
    error(e)
  )");
  EXPECT_EQ(outcome.printed,
            "false\t5\trank 1 gave up\trewards/format 1.0.0\tmend it\n"
            "it says: rewards/format 1.0.0: rank 1 gave up\n  help: mend it\n");
  EXPECT_EQ(outcome.exit, 5);
}

TEST(Launch, GivesAFailureAsAValueIfAsked) {
  EXPECT_EQ(said(base + "local r = base:launch { check = false } print(r, r.state, r.exit, r.error)", failing("x")),
            "run x (failed)\tfailed\t5\trewards/format 1.0.0: rank 1 gave up\n  help: mend it\n");
  EXPECT_EQ(said(base + "print(base:launch { check = false }.reward)", failing("x")),
            "script.lua:2: run 'x' failed, so it has no 'reward'|the error was: rank 1 gave up");
  EXPECT_EQ(said(base + "base:launch { chekc = false }"),
            "script.lua:2: unknown option 'chekc'|did you mean 'check'? known: check");
}

TEST(Launch, CannotBeHeldWhenTheUserEndsEverything) {
  class Interrupted : public FakeActions {
    std::vector<RunResult> launch(const std::vector<spec::Spec>&, int) override {
      throw Error("results/x", "stopped", "compeer resume results/x", Exit::preempted);
    }
  };
  const auto outcome = run_with(std::make_shared<Interrupted>(), base + "while true do pcall(base.launch, base) end");
  EXPECT_EQ(outcome.exit, 85);
  EXPECT_EQ(outcome.where, "results/x");
}

TEST(Sweep, IsTheProductInTheOrderOfSortedKeys) {
  EXPECT_EQ(said(base + R"(
    local runs = compeer.sweep(base, { seed = {1, 2}, ["reweighting.plugin"] = {"none", "redundancy"} })
    print(runs, #runs)
    for i, run in ipairs(runs) do print(i, run.name, run:get "reweighting.plugin", run:get "seed") end
  )"),
            "4 experiments\t4\n1\tx-plugin_none-seed_1\tnone\t1\n2\tx-plugin_none-seed_2\tnone\t2\n"
            "3\tx-plugin_redundancy-seed_1\tredundancy\t1\n4\tx-plugin_redundancy-seed_2\tredundancy\t2\n");
}

TEST(Sweep, MakesNamesThatAreDistinctAndPlain) {
  EXPECT_EQ(
      said(base + R"(
    for _, run in ipairs(compeer.sweep(base, {
      ["sft.batch"] = {1}, ["grpo.batch"] = {2}, ["rewards"] = { {{plugin="format"}}, {{plugin="length"}} } })) do print(run.name) end
    for _, run in ipairs(compeer.sweep(base, { ["model.path"] = {"a/b", "a b"} })) do print(run.name) end
    print(#compeer.sweep(base, { ["model.path"] = {string.rep("long", 50)} })[1].name)
  )"),
      "x-grpo.batch_2-rewards_1-sft.batch_1\nx-grpo.batch_2-rewards_2-sft.batch_1\nx-path_a_b\nx-path_a_b-2\n100\n");
}

TEST(Sweep, RefusesWhatMakesNoSweep) {
  EXPECT_EQ(said(base + "compeer.sweep(base, { seed = 3 })"),
            "script.lua:2: 'seed' needs a list of values|[\"seed\"] = { 1, 2, 3 }");
  EXPECT_EQ(said(base + "compeer.sweep(base, { seed = {1, 2, 1} })"),
            "script.lua:2: 'seed' has the value 1 twice|remove one: runs with the same settings are the same run");
  EXPECT_START(said(base + "compeer.sweep(base, {\n ['grpo.stesp'] = {1} })"),
               "script.lua:3: unknown key 'grpo.stesp'|did you mea");
  EXPECT_EQ(
      said(base + "local l = {} for i = 1, 200 do l[i] = i end compeer.sweep(base, { seed = l, ['grpo.steps'] = l })"),
      "script.lua:2: a sweep is limited to 5000 runs|");
  EXPECT_EQ(said(base + "compeer.sweep({}, {})"),
            "script.lua:2: bad argument #1 to 'sweep' (experiment expected, got table)|");
}

TEST(Run, LaunchesAllAndLetsFailuresBeValues) {
  const auto fake = failing("x-seed_2");
  EXPECT_EQ(
      said(base + R"(
    local done = compeer.sweep(base, { seed = {1, 2, 3} }):run { jobs = 2 }
    for _, result in ipairs(done) do print(result.name, result.state) end
    print(done, #done, done[4])
    print(done:table("grpo.batch", "reward"))
    local rows = done:table("seed", "reward").rows
    print(rows[1].seed, rows[1].reward.mean, rows[2].failed, rows[2].reward)
  )",
           fake),
      "x-seed_1\tfinished\nx-seed_2\tfailed\nx-seed_3\tfinished\n3 results\t3\tnil\n"
      "grpo.batch  runs    reward\n8           2 of 3  1.5 [1.5, 1.5]\n"
      "[ ]: 95 % intervals over runs (Student's t); a single run has none\nx-seed_2 failed (exit 5): rank 1 gave up\n"
      "1\t1.5\t1\tnil\n");
  EXPECT_EQ(fake->jobs_, 2);
  ASSERT_EQ(fake->failed_.size(), 1u);  // decides the program's exit code
  EXPECT_EQ(fake->failed_[0].name, "x-seed_2");
}

TEST(Run, ResolvesEverythingBeforeAnythingStarts) {
  const auto fake = std::make_shared<FakeActions>();
  EXPECT_START(said(base + "compeer.runs { base, base:with { ['model.path'] = 'no/such' } }:run()", fake),
               "script.lua:2: 'model.path': there is no ");
  EXPECT_TRUE(fake->launched_.empty());
}

TEST(Run, RefusesTheSameRunTwiceAndBadOptions) {
  EXPECT_EQ(said(base + "compeer.runs { base, base }:run()"), "script.lua:2: the list contains 'x' twice|");
  EXPECT_EQ(said(base + "compeer.runs { base }:run { jobs = 0 }"),
            "script.lua:2: 'jobs' must be the number of runs at the same time, from 1 to 256|");
  EXPECT_EQ(said(base + "compeer.runs { base }:rnu()"),
            "script.lua:2: a list of experiments has no 'rnu'|did you mean 'run'? known: run");
  EXPECT_START(said(base + "compeer.runs { base, 3 }"),
               "script.lua:2: bad argument #1 to 'runs' (experiment expected, got number)");
}

std::shared_ptr<FakeActions> better_with_none() {
  auto fake = std::make_shared<FakeActions>();
  fake->answer_ = [](RunResult& result) {
    const double reward = result.spec["seed"].get<double>() + (result.spec["reweighting"]["plugin"] == "none" ? 1 : 0);
    result.metrics = {{"reward", {reward, reward, reward, 1}}};
  };
  return fake;
}

const std::string two_by_three =
    base +
    "local done = compeer.sweep(base, { seed = {1, 2, 3}, ['reweighting.plugin'] = {'none', 'redundancy'} }):run()\n";

TEST(CompareOfResults, PairsRunsOfTheSameSeed) {
  EXPECT_EQ(said(two_by_three + R"(
    local c = done:compare { "reward", against = { ["reweighting.plugin"] = "none" } }
    print(c)
    print(c.rows[1].reward.mean, c.rows[1].reward.n, c.rows[1]["reweighting.plugin"], #c.left_out)
  )",
                 better_with_none()),
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  pairs  reward\n"
            "redundancy          3      -1 [-1, -1]\n"
            "-1.0\t3\tredundancy\t0\n");
}

TEST(CompareOfResults, NamesMistakesInWhatIsAsked) {
  EXPECT_EQ(said(two_by_three + "done:compare { 'reward' }"),
            "script.lua:3: 'against' must define the base runs|against = { [\"reweighting.plugin\"] = \"none\" }");
  EXPECT_EQ(said(two_by_three + "done:compare { 'reward', agianst = {} }"),
            "script.lua:3: unknown option 'agianst'|did you mean 'against'? known: against, pair");
  EXPECT_EQ(said(two_by_three + "done:compare { 'reward', against = { ['reweighting.plugin'] = 'none' }, pair = 3 }"),
            "script.lua:3: 'pair' must be a list of names|pair = { \"seed\" }");
}

TEST(ReportRequest, ShowsASweepWithItsComparison) {
  const auto fake = better_with_none();
  EXPECT_EQ(said(two_by_three + R"(
    done:report { output = "a.html", columns = { "reweighting.plugin", "reward" },
                  against = { ["reweighting.plugin"] = "none" } }
    done:report { output = "b.html" }
  )",
                 fake),
            "");
  ASSERT_EQ(fake->reports_.size(), 2u);
  EXPECT_EQ(fake->reports_[0].table->rows.size(), 2u);
  EXPECT_EQ(fake->reports_[0].comparison->rows.size(), 1u);
  EXPECT_FALSE(fake->reports_[1].table);
  EXPECT_EQ(said(two_by_three + "done:report { output = 'a.html', against = { seed = 1 } }"),
            "script.lua:3: 'against' needs 'columns'|columns = { \"reweighting.plugin\", \"reward\" }");
  EXPECT_EQ(said(two_by_three + "done:report { output = 'a.html', columns = { 'reward' } }"),
            "script.lua:3: the columns of a report must include a setting and a metric|");
}

TEST(ReportRequest, ShowsFrontiers) {
  const auto fake = better_with_none();
  EXPECT_EQ(said(two_by_three + R"(
    local pair = { x = "reward", y = "reward" }
    done:report { output = "a.html", frontier = pair }
    compeer.report { output = "b.html", runs = done, frontier = { pair, { x = "reward", y = "reward" } } }
  )",
                 fake),
            "");
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  ASSERT_EQ(fake->reports_.size(), 2u);
  EXPECT_EQ(fake->reports_[0].frontiers, (Pairs{{"reward", "reward"}}));
  EXPECT_EQ(fake->reports_[1].frontiers, (Pairs{{"reward", "reward"}, {"reward", "reward"}}));
}

TEST(ReportRequest, RefusesFrontiersOfAnythingButMetrics) {
  const auto refusal = [](const std::string& frontier) {
    return said(two_by_three + "done:report { output = 'a.html', frontier = " + frontier + " }");
  };
  EXPECT_EQ(refusal("{ x = 'reward' }"),
            "script.lua:3: 'frontier' must name two metrics|frontier = { x = \"distinct_2\", y = \"reward\" }");
  EXPECT_EQ(refusal("'reward'"),
            "script.lua:3: 'frontier' must name two metrics|frontier = { x = \"distinct_2\", y = \"reward\" }");
  EXPECT_EQ(refusal("{ x = 'reward', y = 'seed' }"),
            "script.lua:3: 'frontier' must name two metrics, but 'seed' is a setting|");
  const auto unknown = refusal("{ x = 'reward', y = 'rewrad' }");
  EXPECT_NE(unknown.find("the runs have no setting or metric 'rewrad'|did you mean 'reward'?"), std::string::npos)
      << unknown;
  const auto of_a_stage = refusal("{ x = '01-sage/success', y = 'reward' }");
  EXPECT_NE(of_a_stage.find("the runs have no setting or metric '01-sage/success'|"), std::string::npos) << of_a_stage;
}

TEST(ReportRequest, IsWrittenOverAnyResults) {
  const auto fake = std::make_shared<FakeActions>();
  EXPECT_EQ(said(base + R"(
    local done = compeer.runs { base }:run()
    done:report "results/a.html"
    compeer.report { title = "All", output = "b.html", runs = { done, base:with { name = "y" }:launch() } }
    print(compeer.results { done, done[1] }:table("name", "reward"))
  )",
                 fake),
            "name  runs  reward\nx     2     1.5 [1.5, 1.5]\n"
            "[ ]: 95 % intervals over runs (Student's t); a single run has none\n");
  ASSERT_EQ(fake->reports_.size(), 2u);
  EXPECT_EQ(fake->reports_[0].output, "results/a.html");
  EXPECT_EQ(fake->reports_[1].title, "All");
  EXPECT_EQ(fake->reports_[1].runs.size(), 2u);
}

TEST(ReportRequest, StaysBelowTheCurrentFolderOrThatOfTheRuns) {
  for (const std::string path : {"/tmp/x.html", "../x.html", "a/../../x.html", "x.txt", ""}) {
    EXPECT_EQ(
        said(base + "compeer.report { output = '" + path + "', runs = { base:launch() } }"),
        "script.lua:2: a report can't be written to '" + path +
            "'|give a file name below the current folder or compeer.folder that ends in .html: results/alpha.html");
  }
  for (const std::string folder : {"/data/runs", "../runs", "runs"}) {
    const auto fake = std::make_shared<FakeActions>();
    fake->folder_ = folder;
    said(base + "compeer.report { output = compeer.folder .. '/a/x.html', runs = { base:launch() } }", fake);
    ASSERT_EQ(fake->reports_.size(), 1u);
    EXPECT_EQ(fake->reports_[0].output, folder + "/a/x.html");
    EXPECT_NE(
        said(base + "compeer.report { output = compeer.folder .. '/../../x.html', runs = { base:launch() } }", fake)
            .find("can't be written to"),
        std::string::npos);
  }
  EXPECT_EQ(said(base + "compeer.report { output = 'x.html' }"),
            "script.lua:2: a report needs 'runs', a list of results|");
}

TEST(ReportRequest, HasANameThatTheSystemDoesNotCutOff) {
  for (const std::string path : {"evil.sh\\0.html", "a\\n.html", "\\27[2J.html", "\\xff.html"}) {
    const auto fake = std::make_shared<FakeActions>();
    EXPECT_NE(said(base + "base:launch() compeer.runs{base}:run():report '" + path + "'", fake)
                  .find("is not a valid file name"),
              std::string::npos)
        << path;
    EXPECT_TRUE(fake->reports_.empty());
  }
}

TEST(DryRun, EndsWhereAResultIsNeeded) {
  const auto fake = std::make_shared<FakeActions>();
  fake->dry_ = true;
  const auto outcome = run_with(fake, base + R"(
    local first = base:launch()
    local second = base:with { name = "y", ["model.path"] = first.checkpoint }:launch()
    print(first.path)
    pcall(function() print(second.reward) end)
    print("never")
  )");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.printed, "results/x\n");
  EXPECT_EQ(fake->notes_, "the dry run ends at script.lua:6, which needs 'reward' of run 'y'\n");
  EXPECT_EQ(fake->launched_.size(), 2u);
}

TEST(DryRun, ChecksTablesAndComparisonsAndGoesOnUntilTheirNumbersAreRead) {
  const auto fake = std::make_shared<FakeActions>();
  fake->dry_ = true;
  const std::string runs =
      base + "local done = compeer.results { base:launch(), base:with { name = 'y', seed = 2 }:launch() }\n";
  const auto outcome = run_with(fake, runs + R"(print(done:table("seed", "reward"))
    local comparison = done:compare { "reward", against = { seed = 1 }, pair = "task" }
    print(comparison)
    print(done[2].path)
    print(#comparison.rows)
    print("never")
  )");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.printed, "table (planned)\ncomparison (planned)\nresults/y\n");
  EXPECT_EQ(fake->notes_,
            "a table would be made at script.lua:3\na comparison would be made at script.lua:4\n"
            "the dry run ends at script.lua:7, which needs the numbers of a comparison\n");
  EXPECT_EQ(said(runs + "print(done:table('seed', 'reward'))\n"
                        "print(done:compare { 'reward', against = { seed = 1 }, pair = 'sed' })",
                 fake)
                .substr(0, 32),
            "script.lua:4: a run has no 'sed'");
}

TEST(DryRun, MissesOnlyWhatItsRunsWouldMake) {
  const auto fake = std::make_shared<FakeActions>();
  fake->dry_ = true;
  EXPECT_START(said(base + "base:launch()\nbase:with { ['model.path'] = 'results/x/checkpoints/lst' }:launch()\n"
                           "base:with { ['model.path'] = 'results/y/checkpoints/last' }:launch()",
                    fake),
               "script.lua:4: 'model.path': there is no file or folder \"results/y/checkpoints/last\"");
}

TEST(DryRun, EndsBeforeAnythingAboutTheEndOfARun) {
  for (const std::string name : {"state", "exit", "error", "reused"}) {
    const auto fake = std::make_shared<FakeActions>();
    fake->dry_ = true;
    EXPECT_EQ(said(base + "assert(base:launch()." + name + " == 'finished')", fake), "");
    EXPECT_EQ(fake->notes_, "the dry run ends at script.lua:2, which needs '" + name + "' of run 'x'\n");
  }
}

}  // namespace
}  // namespace compeer::script
