#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fake_actions.h"
#include "script/changes.h"

namespace compeer::script {
namespace {

TEST(Experiment, ChangesByMakingACopy) {
  EXPECT_EQ(said(base + R"(
    local other = base:with { name = "y", grpo = { lr = 1e-3, steps = 5 }, ["sampling.greedy"] = true }
    print(base.name, base:get "grpo.lr", base:get "sampling.greedy")
    print(other.name, other:get "grpo.lr", other:get "sampling.greedy", other:get "grpo.steps")
    print(base, other)
  )"),
            "x\t1e-06\tfalse\ny\t0.001\ttrue\t5\nexperiment x\texperiment y\n");
}

TEST(Experiment, ResolvesToATableWithAllDefaults) {
  EXPECT_EQ(said(base + R"(
    local spec = base:resolve()
    print(spec.grpo.group_size, spec.rewards[1].plugin, spec.rewards[1].weight, spec.model.path, #spec.rewards)
    print(math.type(spec.grpo.steps), math.type(spec.grpo.clip))
  )"),
            "4\tformat\t1.0\tnil\t1\ninteger\tfloat\n");
}

TEST(Experiment, KeepsTheOriginOfEachKey) {
  const auto fake = std::make_shared<FakeActions>();
  EXPECT_EQ(
      said(base + "base:with {\n  grpo = {\n    lr = 1e-3,\n    steps = 3,\n  },\n  [\"sampling.greedy\"] = true,\n"
                  "  rewards = {\n    { plugin = 'length',\n      target = 3 } },\n}:launch()\n"
                  "local later = { seed = 7 }\nbase:with(later):launch()",
           fake),
      "");
  const auto& origins = fake->launched_.at(0).origins;
  EXPECT_EQ(origins.at("name"), "script.lua:1");
  EXPECT_EQ(origins.at("grpo.lr"), "script.lua:4");
  EXPECT_EQ(origins.at("grpo.steps"), "script.lua:5");
  EXPECT_EQ(origins.at("sampling.greedy"), "script.lua:7");
  EXPECT_EQ(origins.at("rewards[0].plugin"), "script.lua:9");
  EXPECT_EQ(origins.at("grpo.batch"), "default");
  EXPECT_EQ(fake->launched_.at(1).origins.at("seed"), "script.lua:13");
  EXPECT_EQ(fake->launched_.at(0).sources.count("script.lua"), 1u);
}

TEST(Experiment, TakesTheNamesThatSettingsHadInTheVersionBefore) {
  const auto fake = std::make_shared<FakeActions>();
  EXPECT_EQ(said(base + "local changed = base:with {\n  grpo = { together = 3 } }\nchanged:launch()\n"
                        "print(changed:get 'grpo.together', changed:get 'grpo.groups_per_reduction')",
                 fake),
            "3\t3\n");
  EXPECT_EQ(fake->launched_.at(0).origins.at("grpo.groups_per_reduction"), "script.lua:3");
  EXPECT_START(fake->notes_,
               "compeer: note: script.lua:3: 'grpo.together' is now called 'grpo.groups_per_reduction'\n");
}

TEST(Experiment, FindsUnknownKeysWhereTheyAreWritten) {
  EXPECT_START(said(base + "local a = base:with {\n  grpo = {\n    lrr = 1e-3 } }"),
               "script.lua:4: unknown key 'grpo.lrr'|did you mean 'lr'? know");
  EXPECT_EQ(said(base + "local a = base:with { ['sampling.temperature'] = -1 }"),
            "script.lua:2: 'sampling.temperature' must be a number above 0 and at most 100, not -1|");
  EXPECT_EQ(said(base + "local a = base:with {\n  rewards = { { plugin = 'lenght' } } }"),
            "script.lua:3: no reward plugin 'lenght'|did you mean 'length'? known: format, length");
  EXPECT_START(said("local compeer = require 'compeer'\ncompeer.experiment { nmae = 'x' }:launch()"),
               "script.lua:2: unknown key 'nmae'|did you mean 'na");
}

TEST(Experiment, TellsMissingKeysWhenItIsToRun) {
  EXPECT_START(
      said("local c = require 'compeer'\nlocal e = c.experiment { task = 'grpo' }\nprint(e.name)\ne:resolve()"),
      "script.lua:2: missing key 'name'|a string: name of the run");
}

TEST(Experiment, RefusesWhatIsNoData) {
  const auto with = [](const std::string& changes) {
    return said(base +
                "local t = {} t.t = t local deep = {} for i = 1, 100 do deep = { a = deep } end\n"
                "local dag = { 1 } for i = 1, 60 do dag = { dag, dag } end\nbase:with " +
                changes);
  };
  EXPECT_EQ(
      with("{ grpo = { lr = print } }"),
      "script.lua:4: 'grpo.lr' can't be a function|use strings, numbers, booleans, lists and tables");
  EXPECT_EQ(with("{ grpo = { lr = 0/0 } }"), "script.lua:4: 'grpo.lr' can't be nan|");
  EXPECT_EQ(with("{ grpo = { lr = 1/0 } }"), "script.lua:4: 'grpo.lr' can't be inf|");
  EXPECT_EQ(with("{ model = t }"), "script.lua:4: 'model.t' is a table that contains itself|");
  EXPECT_START(with("{ model = deep }"), "script.lua:4: 'model.a.a.a.a.a");
  EXPECT_START(with("{ model = dag }"), "script.lua:4: 'model[0][0]");
  EXPECT_EQ(with("{ name = '\\xff' }"), "script.lua:4: 'name' is text that is not UTF-8|");
  EXPECT_EQ(with("{ rewards = { 1, nil, 3, a = 4 } }"),
            "script.lua:4: 'rewards' mixes list items with other keys, or lacks items between|");
  EXPECT_START(with("{ model = { [2] = 'x' } }"), "script.lua:4: 'model' has a key that is a number");
  EXPECT_EQ(with("{ base }"),
            "script.lua:4: '[0]' can't be a userdata|use strings, numbers, booleans, lists and tables");
  EXPECT_START(with("'x'"), "script.lua:4: changes must be a table, not a string|base");
}

TEST(Experiment, NeverChanges) {
  EXPECT_EQ(
      said(base + "base.name = 'y'"),
      "script.lua:2: an experiment is immutable: 'name' can't be set|make a changed copy: local changed = experiment:with { name = ... }");
  EXPECT_START(said(base + "print(base.nmae)"), "script.lua:2: an experiment has no 'nmae'|did you mean 'name'");
  EXPECT_START(said(base + "print(base:get 'grpo.lrr')"), "script.lua:2: the experiment has no 'grpo.lrr'|did you mea");
  EXPECT_EQ(said(base + "print(getmetatable(base))"), "false\n");
}

TEST(Experiment, MakesLoopsEndThatWorkOffTheClock) {
  Limits limits;
  limits.instructions = 2'000'000;
  for (const std::string work : {"base:get 'seed'", "base:with { seed = 2 }", "base:launch()", "base:resolve()"}) {
    const auto text = base + "while true do pcall(function() local x = " + work + " end) end";
    EXPECT_START(run_with(std::make_shared<FakeActions>(), text, ".", limits).problem,
                 "the script needs more than 2000000 instructions");
  }
}

TEST(Experiment, DotsInPlaceOfColonsAreNamed) {
  EXPECT_EQ(said(base + "base.with { seed = 2 }"),
            "script.lua:2: bad argument #1 to 'with' (experiment expected, got table)|");
}

TEST(Compeer, NamesTheNearestFunction) {
  EXPECT_EQ(said("local compeer = require 'compeer'\ncompeer.laod 'x.toml'"),
            "script.lua:2: compeer has no 'laod'|did you mean 'load'? known: difference, experiment, folder, holm, "
            "interval, load, quick, report, "
            "results, runs, study, sweep");
}

class Load : public testing::Test {
 protected:
  Load() : folder_(std::filesystem::path(testing::TempDir()) / "compeer-load") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "scripts" / "deep");
    std::filesystem::create_directories(folder_ / "experiments");
    write("experiments/a.toml",
          "name = \"a\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = \"format\"\n");
    write("experiments/bad.toml", "name = \"a\"\n[grpo]\nsteqs = 3\n");
  }
  ~Load() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  std::filesystem::path folder_;
};

TEST_F(Load, LooksFromTheScriptsFolderUpwards) {
  const auto fake = std::make_shared<FakeActions>();
  const auto text = "local compeer = require 'compeer' print(compeer.load('experiments/a.toml').name)";
  EXPECT_EQ(run_with(fake, text, (folder_ / "scripts" / "deep").string()).printed, "a\n");
  EXPECT_EQ(run_with(fake, text, folder_.string() + "/scripts/").printed, "a\n");
}

TEST_F(Load, FollowsNoLinkToElsewhere) {
  namespace fs = std::filesystem;
  const auto loaded = [&](const std::string& name, const std::string& folder = "scripts") {
    return run_with(std::make_shared<FakeActions>(),
                    "local compeer = require 'compeer' print(compeer.load('" + name + "').name)",
                    (folder_ / folder).string());
  };
  fs::create_directories(folder_ / "secret");
  write("secret/b.toml", "password\n");
  fs::create_symlink("../secret/b.toml", folder_ / "scripts/b.toml");
  fs::create_directory_symlink("../secret", folder_ / "scripts/linked");
  for (const std::string& name : std::vector<std::string>{"b.toml", "linked/b.toml", "../scripts/b.toml",
                                                          (folder_ / "scripts/b.toml").string()}) {
    const auto outcome = loaded(name);
    EXPECT_START(outcome.problem, "'" + name + "' lies outside the searched folder\n");
    EXPECT_EQ(outcome.help, "replace the link by the file itself");
  }
  fs::create_symlink("../experiments/a.toml", folder_ / "secret/c.toml");
  EXPECT_START(loaded("../secret/c.toml").problem, "'../secret/c.toml' lies outside");
  fs::create_symlink("a.toml", folder_ / "experiments/same.toml");
  EXPECT_EQ(loaded("experiments/same.toml").printed, "a\n");
  fs::create_directory_symlink("scripts", folder_ / "also");
  write("scripts/mine.toml",
        "name = \"a\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = \"format\"\n");
  EXPECT_EQ(loaded("mine.toml", "also").printed, "a\n");
}

TEST_F(Load, TellsMistakesOfTheFileWithItsLine) {
  const auto outcome =
      run_with(std::make_shared<FakeActions>(),
               "local compeer = require 'compeer'\ncompeer.load 'experiments/bad.toml'", folder_.string());
  EXPECT_EQ(outcome.where, (folder_ / "experiments/bad.toml").string() + ":3");
  EXPECT_EQ(outcome.problem, "unknown key 'grpo.steqs'\n  in the main chunk (script.lua:2)");
}

TEST_F(Load, NamesTheNearestFile) {
  const auto outcome =
      run_with(std::make_shared<FakeActions>(), "local compeer = require 'compeer'\ncompeer.load 'experiments/b.toml'",
               folder_.string());
  EXPECT_EQ(outcome.where + ": " + outcome.problem.substr(0, 33), "script.lua:2: there is no 'experiments/b.toml'\n");
  EXPECT_EQ(outcome.help, "did you mean 'experiments/a.toml'?");
  const auto other =
      run_with(std::make_shared<FakeActions>(), "require('compeer').load '/etc/passwd'", folder_.string());
  EXPECT_START(other.problem, "'/etc/passwd' is not a TOML file\n  ");
}

TEST_F(Load, TakesNoNameThatTheSystemCutsOff) {
  write("experiments/secret", "the first line\n");
  const auto outcome = run_with(std::make_shared<FakeActions>(), "require('compeer').load 'experiments/secret\\0.toml'",
                                folder_.string());
  EXPECT_START(outcome.problem, "'experiments/secret\\x00.toml' is not a valid file name");
}

TEST_F(Load, TakesTheChangesOfTheCommandLine) {
  const auto fake = std::make_shared<FakeActions>();
  fake->changes_ = {spec::parse_set("grpo.steps=3")};
  const auto text =
      "local e = require('compeer').load('experiments/a.toml') print(e:get 'grpo.steps', e:with{['grpo.steps']=4}:get "
      "'grpo.steps')";
  EXPECT_EQ(run_with(fake, text, folder_.string()).printed, "3\t4\n");
}

using Lines = std::map<std::string, int>;

TEST(KeyLines, FollowsTablesListsAndComments) {
  const std::string source = R"(local a = 1
local b = base:with {
  name = "clip-" .. a,   -- a comment with { brackets
  ["grpo.lr"] = f({1, 2}, 3),
  --[[ more
  ]]
  rewards = {
    { plugin = 'length', target = 3 },
    { plugin = "format",
      weight = 2 },
  },
})";
  EXPECT_EQ(key_lines(source, 2), (Lines{{"name", 3},
                                         {"grpo.lr", 4},
                                         {"rewards", 7},
                                         {"rewards[0]", 8},
                                         {"rewards[0].plugin", 8},
                                         {"rewards[0].target", 8},
                                         {"rewards[1]", 9},
                                         {"rewards[1].plugin", 9},
                                         {"rewards[1].weight", 10}}));
}

TEST(KeyLines, ReadsTheSecondArgumentOfSweep) {
  EXPECT_EQ(key_lines("local r = compeer.sweep(base, {\n  seed = {1, 2} })", 1),
            (Lines{{"seed", 2}, {"seed[0]", 2}, {"seed[1]", 2}}));
}

TEST(KeyLines, KnowsNothingOfVariables) {
  EXPECT_EQ(key_lines("base:with(changes)\nbase:with { seed = 1 }", 1), Lines{});
  EXPECT_EQ(key_lines("local x = 1", 1), Lines{});
  EXPECT_EQ(key_lines("base:with {", 1), Lines{});
  EXPECT_EQ(key_lines("base:with { [[long]], 'x\\", 1), (Lines{{"[0]", 1}, {"[1]", 1}}));
  EXPECT_EQ(key_lines("", 5), Lines{});
}

}  // namespace
}  // namespace compeer::script
