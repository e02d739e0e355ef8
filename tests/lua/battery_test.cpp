#include <gtest/gtest.h>
#include <sys/resource.h>

#include "battery.h"
#include "run_script.h"

namespace compeer::lua {
namespace {

// The most memory that this process ever had.
size_t resident_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<size_t>(used.ru_maxrss) << 10;
}

class Battery : public testing::TestWithParam<Nasty> {};

TEST_P(Battery, EndsAndSaysWhy) {
  const size_t resident = resident_bytes();
  const auto outcome = run_script(GetParam().text, GetParam().problem == hungry ? little_memory : few_instructions);
  EXPECT_LT(resident_bytes() - resident, 4 * few_instructions.memory);  // a sanitizer keeps what was freed for a while
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.where.substr(0, 10), "script.lua") << outcome.where << ": " << outcome.problem;
  EXPECT_NE(outcome.problem.find(GetParam().problem), std::string::npos) << outcome.where << ": " << outcome.problem;
}

INSTANTIATE_TEST_SUITE_P(Sandbox, Battery, testing::ValuesIn(battery),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace compeer::lua
