#include "script/lookup.h"

#include <gtest/gtest.h>

#include "../lua/battery.h"
#include "fake_actions.h"

namespace compeer::script {
namespace {

const std::vector<std::string> names{"01-sage/success/high",
                                     "01-sage/success/value",
                                     "02-diversity/length/value",
                                     "02-diversity/success/value",
                                     "reward",
                                     "rewards/format/reward"};

std::shared_ptr<FakeActions> data_run() {
  auto fake = std::make_shared<FakeActions>();
  fake->answer_ = [](RunResult& result) {
    result.spec = {{"task", "data"},
                   {"dataset", {{"plugin", "esc_world"}}},
                   {"stages",
                    {{{"plugin", "sage"}},
                     {{"plugin", "filter"}},
                     {{"plugin", "filter"}, {"label", "again"}},
                     {{"plugin", "filter"}}}}};
    result.metrics = {{"01-sage/success/value", {.mean = 0.25, .n = 1}},
                      {"03-again/success/value", {.mean = 0.5, .n = 1}}};
  };
  return fake;
}

TEST(FigureNames, LeaveOutWhatStandsBeforeThem) {
  EXPECT_EQ(find_figure(names, "length"), "02-diversity/length/value");
  EXPECT_EQ(find_figure(names, "diversity.length"), "02-diversity/length/value");
  EXPECT_EQ(find_figure(names, "diversity/length/value"), "02-diversity/length/value");
  EXPECT_EQ(find_figure(names, "02-diversity/length/value"), "02-diversity/length/value");
  EXPECT_EQ(find_figure(names, "sage.success.high"), "01-sage/success/high");
  EXPECT_EQ(find_figure(names, "reward"), "reward");  // the whole name matches
  EXPECT_EQ(find_figure(names, "format.reward"), "rewards/format/reward");
  EXPECT_EQ(find_figure(names, "ength"), "");
}

TEST(FigureNames, ThatFitSeveralAreRefused) {
  try {
    find_figure(names, "success");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'success' is ambiguous: it matches 2 figures");
    EXPECT_EQ(error.help(), "use one of: 01-sage/success/value, 02-diversity/success/value");
  }
}

TEST(FigureNames, OfAStageComeBeforeLongerOnesThatEndAlike) {
  const std::vector<std::string> nested{"01-judge/history/f1/value", "01-judge/f1/value", "rewards/judge/f1"};
  EXPECT_EQ(find_figure(nested, "f1"), "01-judge/f1/value");
  EXPECT_EQ(find_figure(nested, "history.f1"), "01-judge/history/f1/value");
}

// The name is unique among the metrics of the first planned run, but ambiguous in the second.
TEST(FigureNames, ThatFitSeveralAreRefusedBeforeAnythingIsLaunched) {
  for (const char* use : {"compeer.results{a, b}:table('seed', 'score')",
                          "compeer.results{a, b}:compare { 'score', against = { seed = 1 } }",
                          "compeer.results{a, b}:report { output = 'x.html', columns = { 'seed', 'score' } }",
                          "compeer.results{a, b}:report { output = 'x.html', frontier = { x = 'seed', y = 'score' } }",
                          "compeer.study { name = 's', seeds = 1, rows = { 'b', 'c' }, figures = { 'score' }, "
                          "run = function(seed, row) return row.name == 'b' and a or b end }",
                          "compeer.study { name = 's', seeds = 1, rows = { 'sc', 'x' }, figures = { '{row}ore' }, "
                          "run = function() return b end }"}) {
    auto fake = std::make_shared<FakeActions>();
    fake->dry_ = true;
    fake->answer_ = [](RunResult& result) {
      result.expected_metrics = {"reward", "rewards/format/score", "seed"};
      if (result.name == "y") result.expected_metrics.push_back("rewards/length/score");
    };
    EXPECT_EQ(said(base + "local a, b = base:launch(), base:with { name = 'y', seed = 2 }:launch() " + use, fake),
              "script.lua:2: 'score' is ambiguous: it matches 2 figures|use one of: rewards/format/score, "
              "rewards/length/score")
        << use;
  }
}

TEST(FigureNames, ServeWhereverAMetricIsAskedFor) {
  EXPECT_EQ(
      said(base + "local r = base:launch() print(r['format.score']) print(compeer.results{r}:table('seed', 'score'))"),
      "0.5\nseed  runs  score\n1     1     0.5\n");
  EXPECT_EQ(said(base + "print(base:launch()['format.scroe'])"),
            "script.lua:2: run 'x' has no metric 'format.scroe'|did you mean 'format.score'? "
            "known: reward, rewards.format.score");
}

TEST(Stage, HasRecordsAndItsOwnFigures) {
  EXPECT_EQ(said(base + R"(
    local run = base:launch()
    print(run.records)
    print(run:stage("sage").records, run:stage("sage").success)
    print(run:stage("again").records, run:stage("again").success, run:stage("02-filter").records))",
                 data_run()),
            "results/x/stages/04-filter.jsonl\n"
            "results/x/stages/01-sage.jsonl\t0.25\n"
            "results/x/stages/03-again.jsonl\t0.5\tresults/x/stages/02-filter.jsonl\n");
}

TEST(Stage, IsNamedBySuggestion) {
  EXPECT_EQ(
      said(base + "local x = base:launch():stage 'sgae'", data_run()),
      "script.lua:2: run 'x' has no stage 'sgae'|did you mean 'sage'? known: esc_world, sage, filter, again, filter");
  EXPECT_EQ(said(base + "local x = base:launch():stage 'filter'", data_run()),
            "script.lua:2: run 'x' has 2 stages 'filter': 02-filter, 04-filter|"
            "give each a different label in the spec, or use a name with its number");
  EXPECT_EQ(said(base + "local x = base:launch().records"),
            "script.lua:2: run 'x' has no stages|only runs with task = \"data\" have stages");
}

// Attacks by a hostile script through `compeer` itself; for attacks through plain Lua see tests/lua/battery.h.

using lua::endless;

constexpr const char* either = "the script needs more than";  // followed by the limit that is reached first

const lua::Nasty attempts[] = {
    // Files
    {"LoadAnyFile", "compeer.load '/etc/passwd'", "is not a TOML file"},
    {"LoadTheEnvironment", "compeer.load '/proc/self/environ'", "is not a TOML file"},
    {"LoadBehindNul", "compeer.load '/etc/passwd\\0.toml'", "is not a valid file name"},
    {"LoadAHiddenFile", "compeer.load '/etc/.toml'", "is not a TOML file"},
    {"LoadATable", "compeer.load {}", "string expected"},
    {"ReportAbsolute", "compeer.runs{base}:run():report '/tmp/x.html'", "can't be written to"},
    {"ReportParent", "compeer.runs{base}:run():report '../x.html'", "can't be written to"},
    {"ReportHiddenParent", "compeer.runs{base}:run():report 'a/./../../x.html'", "can't be written to"},
    {"ReportAProgram", "compeer.runs{base}:run():report '.bashrc'", "can't be written to"},
    {"ReportBehindNul", "compeer.runs{base}:run():report '.bashrc\\0.html'", "is not a valid file name"},
    {"ReportBehindNewline", "compeer.report { output = 'a\\n.html', runs = { base:launch() } }",
     "is not a valid file name"},
    {"ReportElsewhere", "compeer.folder = '/etc' compeer.runs{base}:run():report(compeer.folder .. '/x.html')",
     "can't be written to '/etc/x.html'"},
    {"NameParent", "base:with { name = '../x' }", "must consist of letters"},
    {"NameAbsolute", "base:with { name = '/tmp/x' }", "must consist of letters"},
    {"NameDots", "base:with { name = '..' }", "must consist of letters"},
    {"NameEscape", "base:with { name = '\\27[2J' }", "must consist of letters"},
    {"NameNul", "base:with { name = 'a\\0b' }", "contains a NUL byte"},
    {"NameBySweep", "compeer.sweep(base, { name = { '../x' } })", "'name' can't be swept"},
    {"PathNul", "base:with { model = { path = 'a\\0b' } }", "contains a NUL byte"},
    {"SecretInAUrl", "base:with { model = { path = 'http://u:p@h' } }", "contains a user or password in a URL"},
    // Values of C++
    {"ExperimentMetatable", "getmetatable(base).__index = nil", "attempt to index a boolean value"},
    {"ExperimentSetMetatable", "setmetatable(base, {})", "table expected"},
    {"ExperimentRawset", "rawset(base, 'name', 'x')", "table expected"},
    {"ExperimentChange", "base.name = 'x'", "an experiment is immutable"},
    {"ExperimentFinalizer", "base.__gc(base)", "an experiment has no '__gc'"},
    {"ExperimentForged", "base.with({}, {})", "experiment expected"},
    {"ExperimentIsAResult", "compeer.runs { base:launch() }", "experiment expected"},
    {"ExperimentInAnother", "base:with { model = base }", "can't be a userdata"},
    {"RunsOfNumbers", "compeer.runs{base}.run({1})", "experiment expected"},
    {"RunsMetatable", "getmetatable(compeer.runs{base}).__index = nil", "attempt to index a boolean value"},
    {"ResultFinalizer", "local r = base:launch() r.__gc(r)", "has no metric '__gc'"},
    {"ResultChange", "base:launch().path = '/etc'", "a result can't be changed"},
    {"ResultIsAnExperiment", "compeer.results { base }", "result expected"},
    {"ResultForged", "compeer.results { setmetatable({}, { __index = base:launch() }) }:report 'x.html'",
     "a report needs results"},
    {"ResultsMetatable", "getmetatable(compeer.runs{base}:run()).__index = nil", "attempt to index a boolean value"},
    {"ErrorFinalizer", "local _, e = pcall(compeer.load, 'x') e.__gc(e)", "an error has no '__gc'"},
    {"ErrorMetatable", "local _, e = pcall(compeer.load, 'x') getmetatable(e).__index = nil",
     "attempt to index a boolean value"},
    {"ErrorSetMetatable", "local _, e = pcall(compeer.load, 'x') setmetatable(e, {})", "table expected"},
    // Values that can't be data
    {"PlanOfAFunction", "base:with { name = print }", "can't be a function"},
    {"PlanOfACoroutine", "base:with { name = coroutine.create(print) }", "can't be a thread"},
    {"PlanInItself", "local t = {} t.t = t base:with { grpo = t }", "is a table that contains itself"},
    {"PlanTooDeep", "local t = {} for i = 1, 1000 do t = { t } end base:with { model = t }", "nested too deeply"},
    {"PlanTooLarge", "local t = {} for i = 1, 200000 do t[i] = i end base:with { model = { x = t } }",
     "contains more than 100000 values"},
    {"PlanOfNoNumber", "base:with { grpo = { lr = 0/0 } }", "can't be nan"},
    {"PlanOfNoText", "base:with { name = '\\xff' }", "is text that is not UTF-8"},
    {"JobsTooMany", "compeer.runs{base}:run { jobs = 1 << 40 }", "'jobs' must be the number of runs at the same time"},
    {"SweepTooLarge",
     "local t = {} for i = 1, 80 do t[i] = i end compeer.sweep(base, { seed = t, ['grpo.steps'] = t })",
     "a sweep is limited to 5000 runs"},
    // Infinite loops and memory exhaustion through calls into C++
    {"LaunchForEver", "while true do pcall(function() base:launch() end) end", endless},
    {"LaunchInCoroutines", "while true do coroutine.wrap(function() base:launch() end)() end", endless},
    {"ResolveForEver", "while true do pcall(base.resolve, base) end", endless},
    {"ReportForEver", "local d = compeer.runs{base}:run() while true do pcall(d.report, d, 'x.html') end", endless},
    {"ChangeForEver", "while true do pcall(base.with, base, { seed = 2 }) end", endless},
    {"StudyForEver",
     "while true do pcall(compeer.study, { name = 's', seeds = 1, rows = { 'a' }, figures = { 'reward' }, "
     "run = function() return base end }) end",
     endless},
    {"StudyWhoseRunLoops",
     "compeer.study { name = 's', seeds = 1, rows = { 'a' }, figures = { 'reward' }, "
     "run = function() while true do end end }",
     endless},
    {"StudyTooLarge",
     "local rows = {} for i = 1, 11 do rows[i] = 'row ' .. i end "
     "compeer.study { name = 's', seeds = 10000, rows = rows, figures = { 'reward' }, run = function() return base end "
     "}",
     "a study is limited to 100000 numbers"},
    {"StudyMetatable",
     "getmetatable(compeer.study { name = 's', seeds = 1, rows = { 'a' }, figures = { 'reward' }, "
     "run = function() return base end }).__index = nil",
     "attempt to index a boolean value"},
    {"KeepForEver", "local t = {} while true do t[#t + 1] = base:with { seed = #t } end", either},
    {"OptionsThatLoop", "compeer.runs{base}:run(setmetatable({}, { __index = function() while true do end end }))",
     endless},
    {"ListWithoutEnd", "compeer.runs(setmetatable({}, { __index = function() return base end }))", either},
};

class Escape : public testing::TestWithParam<lua::Nasty> {};

TEST_P(Escape, FailsAndIsTold) {
  const auto fake = std::make_shared<FakeActions>();
  const auto outcome = run_with(fake, base + GetParam().text, ".", lua::few_instructions);
  EXPECT_EQ(outcome.exit, 3) << outcome.where << ": " << outcome.problem;
  EXPECT_NE(outcome.problem.find(GetParam().problem), std::string::npos) << outcome.where << ": " << outcome.problem;
  for (const auto& report : fake->reports_) EXPECT_EQ(report.output, "x.html");
  for (const auto& spec : fake->launched_) EXPECT_EQ(spec.values.at("name"), "x");
}

INSTANTIATE_TEST_SUITE_P(Script, Escape, testing::ValuesIn(attempts), [](const auto& each) { return each.param.name; });

TEST(AScript, ChangesNothingInThePrelude) {
  const std::string table =
      "print(compeer.sweep(base, { seed = { 1, 2 } }):run():table('seed', 'reward')) print(compeer.interval { 1, 2 }) "
      "compeer.study { name = 's', seeds = 2, rows = { 'a', 'b' }, figures = { 'reward' }, against = 'a', run = "
      "function(seed, row) return base:with { name = row.name .. seed, seed = seed } end }\n";
  const std::string changes =
      "for _, library in pairs { string, table, math, utf8 } do for name in pairs(library) do library[name] = nil end "
      "end for _, name in ipairs { 'ipairs', 'pairs', 'rawget', 'type', 'format', 'insert', 'refuse' } do "
      "rawset(_G, name, false) end\n";
  EXPECT_EQ(said(base + changes + table), said(base + table));
  EXPECT_EQ(said(base + changes + "compeer.results { base:launch() }:table 'rewrad'"),
            "script.lua:3: the runs have no setting or metric 'rewrad'|did you mean 'reward'? metrics: reward, "
            "rewards/format/score");
}

TEST(AScript, SeesNoFunctionOfThePreludeInMessages) {
  const auto outcome = run_with(std::make_shared<FakeActions>(), base + R"(local function columns(list)
  return list:table "rewrad"
end
columns(compeer.results { base:launch() }))");
  EXPECT_EQ(outcome.where, "script.lua:3");
  EXPECT_EQ(outcome.problem,
            "the runs have no setting or metric 'rewrad'\n    3 |   return list:table \"rewrad\"\n"
            "  in function 'columns' (script.lua:3)\n  in the main chunk (script.lua:5)");
}

TEST(AScript, SeesNoTextsOfFilesThatSettingsName) {
  spec::Spec spec;
  spec.values = {{"rewards", {{{"path", "/etc/passwd"}, {"script", "root:x:0"}}}}};
  spec.texts = {{"rewards[0].script", "rewards[0].path"}};
  EXPECT_EQ(visible(spec).dump(), R"({"rewards":[{"path":"/etc/passwd","script":null}]})");
}

}  // namespace
}  // namespace compeer::script
