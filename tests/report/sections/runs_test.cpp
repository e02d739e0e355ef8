#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(Stages, TellsWhatBecameOfRecords) {
  Markup out;
  write_stages(out, {sample::tested("a", "x", 1, 50, 2, 0.1, 3)});
  const auto html = out.take();
  EXPECT_NE(html.find("<th scope=\"row\">01-sage</th><td class=\"number\">100</td><td class=\"number\">97</td>"
                      "<td class=\"number\">3</td><td class=\"words\">unreadable change 3</td>"
                      "<td class=\"words\">ended by goodbye 12</td>"),
            std::string::npos)
      << html;
}

TEST(Stages, NamesTheMostFrequentReasons) {
  auto run = sample::tested("a", "x", 1, 50, 2, 0.1);
  for (int i = 1; i <= 10; ++i) run.stages[1].dropped["reason " + std::to_string(i)] = i;
  Markup out;
  write_stages(out, {run});
  EXPECT_NE(out.take().find("reason 10 10, reason 9 9, reason 8 8, reason 7 7, reason 6 6, reason 5 5, reason 4 4, "
                            "reason 3 3; 2 more"),
            std::string::npos);
}

TEST(Stages, IsNotThereWithoutDataRuns) {
  Markup out;
  write_stages(out, sample::quickstart());
  EXPECT_EQ(out.size(), 0u);
}

RunData run(std::map<std::string, std::vector<double>> columns) {
  RunData made;
  made.columns = std::move(columns);
  return made;
}

TEST(Phases, AreSumsWithTheLongestFirst) {
  const Phases phases = phases_of({run({{"seconds/score", {1, NAN, 2}}, {"seconds/rollout", {4, 4, 4}}})});
  EXPECT_EQ(phases.names, (std::vector<std::string>{"rollout", "score"}));
  EXPECT_EQ(phases.seconds[0], (std::vector<double>{12, 3}));
  EXPECT_EQ(phases.whole[0], 15);
}

TEST(Phases, CallTheRestOfAStepOther) {
  const Phases phases = phases_of({run({{"seconds/rollout", {4, 4}}, {"seconds/step", {5, 6}}})});
  EXPECT_EQ(phases.names, (std::vector<std::string>{"rollout", "other"}));
  EXPECT_EQ(phases.seconds[0], (std::vector<double>{8, 3}));
  EXPECT_EQ(phases.whole[0], 11);
}

// 2 steps of 5 s, of which 4 are sampling; after the second, 3 s of validation.
TEST(Phases, CountValidationBesideTheSteps) {
  const Phases phases =
      phases_of({run({{"seconds/rollout", {4, 4}}, {"seconds/step", {5, 5}}, {"seconds/validation", {NAN, 3}}})});
  EXPECT_EQ(phases.names, (std::vector<std::string>{"rollout", "validation", "other"}));
  EXPECT_EQ(phases.seconds[0], (std::vector<double>{8, 3, 2}));
  EXPECT_EQ(phases.whole[0], 13);
}

TEST(Timings, TakeValidationForNoPartOfAStep) {
  RunData one = run({{"seconds/step", {5, 5}}, {"seconds/validation", {NAN, 3}}});
  Markup out;
  write_timings(out, {one}, Lineage({one}));
  EXPECT_NE(out.take().find("<td class=\"number\">5.000</td>"), std::string::npos);
}

TEST(Phases, LeaveOutARestThatIsOnlyRounding) {
  EXPECT_EQ(phases_of({run({{"seconds/rollout", {4, 4}}, {"seconds/step", {4.01, 4.01}}})}).names.size(), 1u);
}

TEST(Phases, OfRunsWithoutTimesAreNone) {
  const Phases phases = phases_of({run({}), run({{"loss", {1}}})});
  EXPECT_TRUE(phases.names.empty());
  EXPECT_EQ(phases.whole[1], 0);
}

TEST(Specs, ShowTheOriginOfEachValue) {
  Markup out;
  write_specs(out, {sample::run("a", "grpo")});
  const auto html = out.take();
  EXPECT_NE(html.find("experiments/base.toml:14"), std::string::npos);
  EXPECT_NE(html.find("<details"), std::string::npos);
  EXPECT_NE(html.find("2025-03-01T12:34:56Z"), std::string::npos);
}

TEST(Specs, ShowEachSourceOnce) {
  auto a = sample::run("a", "grpo"), b = sample::run("b", "grpo");
  a.sources = b.sources = {{"scripts/study.lua", "local x = 1 < 2"}};
  Markup out;
  write_specs(out, {a, b});
  const auto html = out.take();
  const size_t first = html.find("<pre tabindex=\"0\">local x = 1 &lt; 2</pre>");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(html.find("<pre", first + 1), std::string::npos);
}

}  // namespace
}  // namespace compeer::report
