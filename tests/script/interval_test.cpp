#include <gtest/gtest.h>

#include "fake_actions.h"

namespace compeer::script {
namespace {

TEST(Interval, IsOfTheValuesGiven) {
  // 1, 2, 3: half of it is 4.30265 / sqrt(3) = 2.48414.
  EXPECT_EQ(said(base + R"(
    local found = compeer.interval { 1, 2, 3 }
    print(found, found.n, ("%.5f %.5f %.5f %.5f"):format(found.mean, found.low, found.high, found.half)))"),
            "2 ±2.5\t3\t2.00000 -0.48414 4.48414 2.48414\n");
}

TEST(Interval, HasAWidthFromTheEleventhValueOn) {
  EXPECT_EQ(said(base + R"(
    local values = {}
    for i = 1, 40 do
      values[i] = i % 2
      local found = compeer.interval(values)
      assert((found.half == nil) == (i == 1), i)
      assert(i == 1 or found.half > 0.15, i)
    end
    print(("%.5f"):format(compeer.interval(values).half)))"),
            "0.16194\n");  // deviation sqrt(10/39), t(39) = 2.02269: 2.02269 * .50637 / sqrt(40)
}

TEST(Interval, OfASingleValueThereIsNone) {
  EXPECT_EQ(said(base + R"(
    local one, none = compeer.interval { 5 }, compeer.interval { 0/0 }
    print(one, one.n, one.half, one.low, none, none.n, none.mean ~= none.mean))"),
            "5\t1\tnil\tnil\t-\t0\ttrue\n");
}

TEST(Difference, IsTakenPairByPair) {
  // Differences 1, 2, 0: mean 1, half 2.48414; those of one side alone are left out.
  EXPECT_EQ(said(base + R"(
    local found = compeer.difference({ 2, 104, 203, 7 }, { 1, 102, 203 })
    print(found, found.n, found.clear, ("%.5f %.5f"):format(found.high, found.p))
    local sure = compeer.difference({ a = 1.1, b = 2.1, c = 3.11 }, { a = 1, b = 2, c = 3 })
    print(sure.clear, sure.p < 0.05)
    local one = compeer.difference({ 2 }, { 1 })
    print(one, one.clear, one.half, one.p))"),
            "+1 ±2.5\t3\tfalse\t3.48414 0.22540\ntrue\ttrue\n+1\tfalse\tnil\tnil\n");
}

TEST(Holm, CorrectsForAllTests) {
  EXPECT_EQ(said(base + "print(table.concat(compeer.holm { 0.01, 0.04, 0.03 }, ' '))"), "0.03 0.06 0.06\n");
}

TEST(Interval, RefusesWhatIsNoNumber) {
  EXPECT_EQ(said(base + "compeer.interval { 1, 'two' }"), "script.lua:2: value 2 is a string, not a number|");
  EXPECT_EQ(said(base + "compeer.interval { [base] = 1 }"),
            "script.lua:2: a table with a userdata as a key has no fixed order|"
            "use numbers or strings as keys, or ipairs over a list");
}

}  // namespace
}  // namespace compeer::script
