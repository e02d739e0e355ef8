#include <gtest/gtest.h>

#include "fake_actions.h"

namespace compeer::script {
namespace {

// Results computed from a run's learning rate and seed: x = 10 lr + seed, y = 100 lr + seed.
std::shared_ptr<FakeActions> computing() {
  auto fake = std::make_shared<FakeActions>();
  fake->answer_ = [](RunResult& result) {
    if (result.state == RunResult::State::planned) {
      result.expected_metrics = {"a/x", "a/y"};
      return;
    }
    const double lr = result.spec.at("grpo").at("lr"), seed = result.spec.at("seed");
    result.metrics = {{"a/x", {.mean = 10 * lr + seed, .n = 1}}, {"a/y", {.mean = 100 * lr + seed, .n = 1}}};
    if (lr == 0.4) result.metrics["a/x"].mean = seed == 2 ? 0.0 / 0.0 : 5;
    if (lr == 0.5) result.metrics["a/only fast"] = {.mean = seed, .n = 1};
    if (lr == 0.6 && seed == 2) {
      result.state = RunResult::State::failed;
      result.metrics.clear();
      result.error = Error("", "rank 1 gave up", "", Exit::plugin);
    }
  };
  return fake;
}

// Returns a script with the smallest study, plus `more` fields.
std::string declared(const std::string& more, const std::string& rows = "{ 'slow', lr = 0.1 }, { 'fast', lr = 0.2 }") {
  return base + "local s = compeer.study { name = 'rates', rows = { " + rows + " }, " + more + ", " +
         "run = function(seed, row) return base:with { name = row.name .. seed, seed = seed, grpo = { lr = row.lr } } "
         "end }\n";
}

TEST(Study, TellsMeansAndDifferencesOverSeeds) {
  // x of slow is 2, 3, 4: half interval 4.30265 / sqrt(3) = 2.484. The differences are 1, 1, 1: half interval 0.
  EXPECT_EQ(
      said(declared("seeds = 3, figures = { 'x', { 'Y', 'a.y', better = 'lower' } }, against = 'slow'"), computing()),
      "rates  x              Y\n"
      "slow   3.000 ±2.484+  12.000 ±2.484*\n"
      "fast   4.000 ±2.484*  22.000 ±2.484+\n"
      "\n"
      "minus slow  x                Y\n"
      "fast        +1.000 ±0.000!!  +10.000 ±0.000!!\n"
      "\n"
      "±: half of the 95 % interval (Student's t) over 3 seeds\n"
      "!: the 95 % interval excludes zero; !!: also with Holm's correction for all 2 differences\n");
}

TEST(Study, CorrectsForAllContrastsThatAreDeclared) {
  // g is -1, 1, 3, 5 with seeds 1 to 4: mean 2, deviation sqrt(20/3), half interval 3.18245 * 1.29099 = 4.109: not
  // significant. h is 1, 2, 1, 1: mean 1.25, deviation .5, half interval 3.18245 * .25 = .796, t = 5, p = .0154. Holm's
  // correction makes that .031 among two tests (significant) and .092 among the six of three contrasts (significant
  // only without the correction).
  const std::string figures =
      "seeds = 4, figures = { { 'g', function(run, row) return row.lr > 0.1 and 2 * run:get 'seed' - 3 or 0 end }, "
      "{ 'h', function(run, row) return row.lr > 0.1 and (run:get 'seed' % 3 < 2 and 1 or 2) or 0 end } }, ";
  const auto two = said(declared(figures + "contrasts = { { 'fast', 'slow' } }"), computing());
  EXPECT_NE(two.find("+2.000 ±4.109  +1.250 ±0.796!!"), std::string::npos) << two;
  const auto three =
      said(declared(figures + "contrasts = { { 'fast', 'slow' }, { 'faster', 'slow' }, { 'faster', 'fast' } }",
                    "{ 'slow', lr = 0.1 }, { 'fast', lr = 0.2 }, { 'faster', lr = 0.3 }"),
           computing());
  EXPECT_NE(three.find("+1.250 ±0.796!\n"), std::string::npos) << three;
  EXPECT_NE(three.find("for all 6 differences"), std::string::npos) << three;
}

TEST(Study, ComparesTheFiguresThatAContrastNamesAndCorrectsForThese) {
  const auto text = said(declared("seeds = 3, figures = { 'x', { 'Y', 'a.y' } }, "
                                  "contrasts = { { 'fast', 'slow', { 'Y' } }, { 'slow', 'fast' } }"),
                         computing());
  EXPECT_NE(text.find("minus slow  x  Y\n"
                      "fast           +10.000 ±0.000!!\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Holm's correction for all 3 differences"), std::string::npos) << text;
}

TEST(Study, ShowsNoLineOfAContrastBelowFiguresThatItDoesNotCompare) {
  const std::string wide(100, 'w');
  const auto text = said(declared("seeds = 3, figures = { 'x', { '" + wide +
                                  "', 'a.y' } }, "
                                  "contrasts = { { 'fast', 'slow', { 'x' } } }"),
                         computing());
  const auto second = text.find("rates  www");
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_NE(text.substr(0, second).find("minus slow"), std::string::npos) << text;
  EXPECT_EQ(text.substr(second).find("minus slow"), std::string::npos) << text;
}

TEST(Study, KeepsEachSeedsFiguresAndRunsWhatIsNotKept) {
  const std::string study = "seeds = 2, kept = 'figures', figures = { 'x', { 'Y', 'a.y' } }";
  const auto fake = computing();
  fake->kept_["figures/seed-2.json"] = {
      {"study", "rates"}, {"seed", 2}, {"rows", {{"slow", {{"x", 7}, {"Y", nullptr}}}, {"gone", {{"x", 1}}}}}};
  const auto text = said(declared(study), fake);
  EXPECT_EQ(fake->launched_.size(), 3u) << "not slow of seed 2";
  EXPECT_NE(text.find("slow   4.500 ±31.766*"), std::string::npos) << "of 2 and 7: " << text;
  EXPECT_NE(text.find("left out: slow has no 'Y' (seed 2)"), std::string::npos) << text;
  EXPECT_EQ(fake->kept_.at("figures/seed-1.json"),
            (spec::json{{"study", "rates"},
                        {"seed", 1},
                        {"rows", {{"slow", {{"x", 2}, {"Y", 11}}}, {"fast", {{"x", 3}, {"Y", 21}}}}}}));
  EXPECT_EQ(fake->kept_.at("figures/seed-2.json").at("rows").at("fast"), (spec::json{{"x", 4}, {"Y", 22}}));
  EXPECT_TRUE(fake->kept_.at("figures/seed-2.json").at("rows").contains("gone"));
  EXPECT_EQ(said(declared(study), fake), text);
  EXPECT_EQ(fake->launched_.size(), 3u) << "all are kept now";
}

TEST(Study, KeepsARowBeforeTheNextOneRuns) {
  const auto fake = computing();
  const std::string ends =
      "compeer.study { name = 'rates', rows = { { 'slow', lr = 0.1 }, { 'fast' } }, seeds = 1, kept = 'figures', "
      "figures = { 'x' }, run = function(seed, row) if not row.lr then error('the machine is gone', 0) end "
      "return base:with { name = row.name .. seed, seed = seed, grpo = { lr = row.lr } } end }";
  EXPECT_NE(said(base + ends, fake).find("the machine is gone"), std::string::npos);
  EXPECT_EQ(fake->kept_.at("figures/seed-1.json").at("rows"), (spec::json{{"slow", {{"x", 2}}}}));
}

TEST(Study, InADryRunShowsTheSeedsThatAreKept) {
  const auto fake = computing();
  fake->dry_ = true;
  const std::string study = "seeds = 3, kept = 'figures', figures = { 'x' }";
  EXPECT_EQ(said(declared(study), fake), "");
  EXPECT_TRUE(fake->kept_.empty()) << "nothing was found";
  fake->kept_["figures/seed-2.json"] = {
      {"study", "rates"}, {"seed", 2}, {"rows", {{"slow", {{"x", 7}}}, {"fast", {{"x", 8}}}}}};
  EXPECT_EQ(said(declared(study), fake), "rates  x\nslow   7.000+\nfast   8.000*\n\na single seed has no intervals\n");
}

TEST(Study, KeepsNothingOfAQuickRunAndOfAFailedOneNothingButTheOthers) {
  const auto fake = computing();
  fake->quick_ = true;
  said(declared("seeds = 2, kept = 'figures', figures = { 'x' }"), fake);
  EXPECT_TRUE(fake->kept_.empty());
  fake->quick_ = false;
  said(declared("seeds = 2, kept = 'figures', figures = { 'x' }", "{ 'a', lr = 0.6 }, { 'b', lr = 0.2 }"), fake);
  EXPECT_EQ(fake->kept_.at("figures/seed-2.json").at("rows"), (spec::json{{"b", {{"x", 4}}}}));
}

TEST(Study, RefusesKeptFiguresOfAnother) {
  const auto fake = computing();
  fake->kept_["figures/seed-1.json"] = {{"study", "prices"}, {"seed", 1}, {"rows", spec::json::object()}};
  EXPECT_EQ(said(declared("seeds = 1, kept = 'figures', figures = { 'x' }"), fake),
            "figures/seed-1.json: contains no figures of the study 'rates' with seed 1|"
            "move or delete the file; the study then runs again");
  EXPECT_TRUE(fake->launched_.empty());
}

TEST(Study, LeavesOutWhatIsNaNAndSaysSo) {
  EXPECT_EQ(
      said(declared("seeds = 3, figures = { 'x' }, against = 'slow'", "{ 'slow', lr = 0.1 }, { 'odd', lr = 0.4 }"),
           computing()),
      "rates  x\n"
      "slow   3.000 ±2.484+\n"
      "odd    5.000 ±0.000*\n"
      "\n"
      "minus slow  x\n"
      "odd         +2.000 ±12.706\n"  // 3 and 1: half interval 12.7062 * sqrt(2) / sqrt(2)
      "\n"
      "left out: odd has no 'x' (seed 2)\n"
      "±: half of the 95 % interval (Student's t) over 3 seeds\n"
      "!: the 95 % interval excludes zero; !!: also with Holm's correction for all 1 differences\n");
}

TEST(Study, OfASingleSeedHasNoIntervals) {
  EXPECT_EQ(said(declared("seeds = { 7 }, figures = { 'x' }, against = 'slow'"), computing()),
            "rates  x\nslow   8.000+\nfast   9.000*\n\nminus slow  x\nfast        +1.000\n\na single seed has no "
            "intervals\n");
}

TEST(Study, GoesOnWithoutARunThatFailed) {
  const auto fake = computing();
  const auto text = said(declared("seeds = 3, figures = { 'x' }", "{ 'slow', lr = 0.1 }, { 'bad', lr = 0.6 }"), fake);
  EXPECT_NE(text.find("left out: bad has no 'x' (seed 2)"), std::string::npos) << text;
  EXPECT_NE(text.find("bad2 failed (exit 5): rank 1 gave up"), std::string::npos) << text;
  ASSERT_EQ(fake->failed_.size(), 1u);
}

TEST(Study, FillsTheRowsNameIntoAFigure) {
  const auto text =
      said(declared("seeds = 1, figures = { { 'f', 'a.only {row}' } }", "{ 'slow', lr = 0.1 }, { 'fast', lr = 0.5 }"),
           computing());
  EXPECT_NE(text.find("slow   -\nfast   1.000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("left out: slow has no 'f' (seed 1)"), std::string::npos) << text;
}

TEST(Study, RefusesAFigureThatNoRowHas) {
  EXPECT_EQ(
      said(declared("seeds = 1, figures = { { 'f', 'a.onyl {row}' } }", "{ 'slow', lr = 0.1 }, { 'fast', lr = 0.5 }"),
           computing()),
      "script.lua:2: study 'rates': run 'slow1' has no figure 'a.onyl {row}'|known: a.x, a.y");
}

TEST(Study, GivesItsNumbersAndRuns) {
  const auto fake = computing();
  const auto text = said(declared("seeds = 3, figures = { { 'X', 'x' } }") +
                             "print(s:interval('slow', 'X'), s:difference('fast', 'slow', 'x').mean, #s.runs, s.name)\n"
                             "compeer.report { output = 'x.html', runs = s.runs, frontier = { x = 'x', y = 'a.y' } }",
                         fake);
  EXPECT_NE(text.find("3 ±2.5\t1.0\t6\trates\n"), std::string::npos) << text;
  ASSERT_EQ(fake->reports_.size(), 1u);
  EXPECT_EQ(fake->reports_[0].frontiers[0], std::make_pair(std::string("a/x"), std::string("a/y")));
}

TEST(Study, IsPlannedWithoutItsNumbers) {
  auto fake = computing();
  fake->dry_ = true;
  EXPECT_EQ(said(declared("seeds = 3, figures = { 'x', { 'z', function() error 'never' end } }, against = 'slow'") +
                     "print(s) print(s:interval('slow', 'x')) print 'never'",
                 fake),
            "study rates (planned)\n");
  EXPECT_EQ(fake->launched_.size(), 6u);
  EXPECT_EQ(fake->notes_,
            "study rates: 2 rows, 3 seeds, 2 differences to test\n"
            "the dry run ends at script.lua:3, which needs 'x' of the study 'rates'\n");
  EXPECT_EQ(said(declared("seeds = 3, figures = { 'a.z' }"), fake),
            "script.lua:2: study 'rates': run 'slow1' has no figure 'a.z'|did you mean 'a.x'? known: a.x, a.y");
}

TEST(Study, EndsWithTheFirstRunThatHasNoSuchFigure) {
  const auto fake = computing();
  EXPECT_EQ(said(declared("seeds = 3, figures = { 'b.x' }"), fake),
            "script.lua:2: study 'rates': run 'slow1' has no figure 'b.x'|did you mean 'a.x'? known: a.x, a.y");
  EXPECT_EQ(fake->launched_.size(), 1u);
}

TEST(Study, TellsWhatIsWrongWithItsDeclaration) {
  const std::string whole = "seeds = 1, figures = { 'x' }";
  const auto wrong = [&](const std::string& more) {
    const auto fake = computing();
    const auto text = said(declared(more), fake);
    EXPECT_TRUE(fake->launched_.empty()) << more;
    return text.substr(std::string("script.lua:2: ").size());
  };
  EXPECT_EQ(
      wrong(whole + ", figurs = 1"),
      "a study has no field 'figurs'|did you mean 'figures'? known: against, contrasts, figures, kept, name, rows, "
      "run, seeds");
  EXPECT_EQ(wrong("figures = { 'x' }"), "a study needs 'seeds'|seeds = 3, or seeds = { 1, 2, 3 }");
  EXPECT_EQ(wrong("figures = { 'x' }, seeds = 'three'"),
            "a study's 'seeds' must be a number of seeds or a list of seeds|seeds = 3, or seeds = { 1, 2, 3 }");
  EXPECT_EQ(wrong("seeds = 1"),
            "a study needs 'figures'|figures = { \"reward\", { \"Fluency\", \"esc_eval.fluency\" } }");
  EXPECT_EQ(wrong("seeds = 1, figures = 'x'"),
            "a study's 'figures' must be a list, not a string|figures = { \"reward\", { \"Fluency\", "
            "\"esc_eval.fluency\" } }");
  EXPECT_EQ(wrong("seeds = 1, figures = { { 'x', beter = 1 } }"),
            "a figure has no field 'beter'|did you mean 'better'? known: better");
  EXPECT_EQ(wrong("seeds = 1, figures = { { 'x', better = 'up' } }"),
            "'better' can't be up|better = \"higher\", \"lower\" or \"neither\"");
  EXPECT_EQ(wrong("seeds = 1, figures = { 'x', 'x' }"), "a study has two figures 'x'|give them different titles");
  EXPECT_EQ(wrong(whole + ", against = 'slwo'"),
            "'against' names an unknown row 'slwo'|did you mean 'slow'? known: slow, fast");
  EXPECT_EQ(wrong(whole + ", contrasts = { { 'fast', 'slo' } }"),
            "a contrast names an unknown row 'slo'|did you mean 'slow'? known: slow, fast");
  EXPECT_EQ(wrong(whole + ", contrasts = { 'fast' }"),
            "a study's 'contrasts' must be a list of pairs of rows: the first minus the second|contrasts = { { "
            "\"fast\", \"slow\" "
            "} }, or { { \"fast\", \"slow\", { \"reward\" } } } for this figure alone");
  EXPECT_EQ(wrong(whole + ", contrasts = { { 'fast', 'slow', { 'z' } } }"),
            "a contrast names an unknown figure 'z'|did you mean 'x'? known: x");
  EXPECT_EQ(wrong(whole + ", kept = '../figures'"),
            "figures can't be stored in '../figures'|set a folder below the current one: kept = \"figures/rates\"");
  EXPECT_EQ(
      wrong(whole + ", against = 'slow', contrasts = {}"),
      "a study can't have both 'against' and 'contrasts'|contrasts = { { \"fast\", \"slow\" } }, or { { \"fast\", "
      "\"slow\", { \"reward\" } } } for this figure alone");
}

// A study that forgets the seed would count one run several times and find every difference significant.
TEST(Study, RefusesSeedsThatMakeTheSameRun) {
  const std::string forgotten = base +
                                "compeer.study { name = 'rates', rows = { { 'slow', lr = 0.1 } }, seeds = 2, figures = "
                                "{ 'x' }, run = function(seed, row) return base:with { name = 'n' .. seed, grpo = { lr "
                                "= row.lr } } end }\n";
  EXPECT_EQ(said(forgotten, computing()),
            "script.lua:2: study 'rates': seeds 1 and 2 of 'slow' are the same run|use the seed in 'run': base:with { "
            "name = row.name .. \"-\" .. seed, seed = seed }");
}

TEST(Study, RefusesAFieldThatNoRowHas) {
  const auto misspelt = [](const std::string& field) {
    return said(base +
                    "compeer.study { name = 'rates', rows = { { 'slow', lr = 0.1 }, { 'fast', lr = 0.2, warm = 1 } }, "
                    "seeds = 1, figures = { 'x' }, run = function(seed, row) local f = row." +
                    field +
                    " return base:with { name = row.name .. seed, seed = seed, grpo = { lr = row.lr } } end }\n",
                computing());
  };
  EXPECT_EQ(misspelt("rl"),
            "script.lua:2: no row of the study has a field 'rl'|did you mean 'lr'? known: lr, name, warm");
  EXPECT_EQ(misspelt("warm").find("script.lua"), std::string::npos) << "another row has it";
}

TEST(Study, MarksNoneOfWhatIsEqual) {
  const auto text = said(declared("seeds = 1, figures = { { 'n', function() return 1 end } }"), computing());
  EXPECT_EQ(text.find("1.000*"), std::string::npos) << text;
  EXPECT_EQ(text.find("1.000+"), std::string::npos) << text;
}

TEST(Study, NeedsRowsWithNamesAndRuns) {
  EXPECT_EQ(said(base + "compeer.study { name = 'a', seeds = 1, rows = { { lr = 1 } } }"),
            "script.lua:2: a study's 'rows' must begin with their names; row 1 begins with a nil|"
            "rows = { { \"slow\", lr = 1e-5 }, { \"fast\", lr = 1e-4 } }");
  EXPECT_EQ(said(base + "compeer.study { name = 'a', seeds = 1, rows = { 'a', 'a' } }"),
            "script.lua:2: a study has two rows 'a'|give them different names");
  EXPECT_EQ(said(base + "compeer.study { name = 'a', seeds = 1, rows = { 'a' }, figures = { 'x' } }"),
            "script.lua:2: a study needs 'run'|run = function(seed, row) return ... end");
  EXPECT_EQ(said(base + "compeer.study { name = 'a', seeds = 1, rows = { 'a' }, figures = { 'reward' }, "
                        "run = function(seed, row) return row end }"),
            "script.lua:2: 'run' of the study 'a' returned a table for seed 1 of 'a'|return an experiment, its result "
            "(experiment:launch()) or a stage of the result (result:stage \"sage\")");
  EXPECT_EQ(
      said(base + "compeer.study { name = 'a', seeds = 1, rows = { 'a' }, figures = { { 'f', function() return 'x' "
                  "end } }, run = function() return base end }"),
      "script.lua:2: study 'a': figure 'f' is a string for 'a', not a number|"
      "return a number, or nil if there is none");
}

TEST(Launch, OfWhatWasLaunchedBeforeGivesTheSameResult) {
  const auto fake = computing();
  said(base + "base:launch() base:launch() base:with({ name = 'other' }):launch()", fake);
  EXPECT_EQ(fake->launched_.size(), 2u);
}

}  // namespace
}  // namespace compeer::script
