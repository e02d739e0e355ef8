#include "script/lookup.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(find_figure(names, "reward"), "reward");  // whole
  EXPECT_EQ(find_figure(names, "format.reward"), "rewards/format/reward");
  EXPECT_EQ(find_figure(names, "ength"), "");
}

TEST(FigureNames, ThatFitSeveralAreRefused) {
  try {
    find_figure(names, "success");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "'success' may be any of 2 figures");
    EXPECT_EQ(error.help(), "say which: 01-sage/success/value, 02-diversity/success/value");
  }
}

TEST(FigureNames, OfAStageComeBeforeLongerOnesThatEndAlike) {
  const std::vector<std::string> nested{"01-judge/history/f1/value", "01-judge/f1/value", "rewards/judge/f1"};
  EXPECT_EQ(find_figure(nested, "f1"), "01-judge/f1/value");
  EXPECT_EQ(find_figure(nested, "history.f1"), "01-judge/history/f1/value");
}

// Of two planned runs the names of the first fit, those of the second are ambiguous.
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
      result.promised = {"reward", "rewards/format/score", "seed"};
      if (result.name == "y") result.promised.push_back("rewards/length/score");
    };
    EXPECT_EQ(said(base + "local a, b = base:launch(), base:with { name = 'y', seed = 2 }:launch() " + use, fake),
              "script.lua:2: 'score' may be any of 2 figures|say which: rewards/format/score, rewards/length/score")
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
            "give each a label of its own in the spec, or name one with its number");
  EXPECT_EQ(said(base + "local x = base:launch().records"),
            "script.lua:2: run 'x' has no stages|runs of the task \"data\" have");
}

}  // namespace
}  // namespace compeer::script
