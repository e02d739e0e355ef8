#include "report/sections/sections.h"

#include <gtest/gtest.h>

namespace compeer::report {
namespace {

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

}  // namespace
}  // namespace compeer::report
