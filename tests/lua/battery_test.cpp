#include <gtest/gtest.h>
#include <time.h>

#include "battery.h"
#include "run_script.h"

namespace compeer::lua {
namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Battery : public testing::TestWithParam<Nasty> {};

TEST_P(Battery, EndsInTimeAndSaysWhy) {
  const double before = processor_seconds();
  const auto outcome = run_script(GetParam().text, GetParam().problem == hungry ? little_memory : few_instructions);
  EXPECT_LT(processor_seconds() - before, 5);
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.where.substr(0, 10), "script.lua") << outcome.where << ": " << outcome.problem;
  EXPECT_NE(outcome.problem.find(GetParam().problem), std::string::npos) << outcome.where << ": " << outcome.problem;
}

INSTANTIATE_TEST_SUITE_P(Sandbox, Battery, testing::ValuesIn(battery),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace compeer::lua
