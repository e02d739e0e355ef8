#include "script/sandbox.h"

#include <gtest/gtest.h>

#include "run_script.h"

namespace compeer::script {
namespace {
TEST(Sandbox, Runs) {
  const auto o =
      run_script("print('x', 1, 2.0, nil, {}, print) local t = {b=1,a=2,[3]=1} for k,v in pairs(t) do print(k,v) end");
  EXPECT_EQ(o.printed, "x\t1\t2.0\tnil\ttable\tfunction\n3\t1\na\t2\nb\t1\n");
  EXPECT_EQ(o.problem, "");
}
}  // namespace
}  // namespace compeer::script
