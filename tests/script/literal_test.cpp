#include "script/changes.h"

#include <gtest/gtest.h>

namespace compeer::script {
namespace {

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
