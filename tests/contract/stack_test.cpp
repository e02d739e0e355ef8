#include "contract/stack.h"

#include <gtest/gtest.h>

namespace compeer::contract {
namespace {

using Lines = std::vector<std::string>;

TEST(Stack, IsThePluginsOwnPart) {
  EXPECT_EQ(readable_stack({"worker(on_crash)[0x1]", "libc.so(+0x2)[0x2]", "/x/rewards/a.so(score+0x3)[0x3]",
                            "libstdc++.so(sort)[0x5]", "/x/rewards/a.so(less+0x3)[0x3]", "worker(+0x4)[0x4]"},
                           "/x/rewards/a.so"),
            (Lines{"/x/rewards/a.so(score+0x3)[0x3]", "libstdc++.so(sort)[0x5]", "/x/rewards/a.so(less+0x3)[0x3]"}));
}

TEST(Stack, IsWholeWhereThePluginHasNoPart) {
  EXPECT_EQ(readable_stack({"worker(a)[0x1]", "libc.so(b)[0x2]"}, "/x/rewards/a.so"),
            (Lines{"worker(a)[0x1]", "libc.so(b)[0x2]"}));
  EXPECT_EQ(readable_stack({}, "/x/rewards/a.so"), Lines());
}

TEST(Stack, IsCutWhereNobodyReadsOn) {
  Lines frames;
  for (int i = 0; i < 40; ++i) frames.push_back("worker(f" + std::to_string(i) + ")");
  const auto lines = readable_stack(frames, "/x/rewards/a.so");
  ASSERT_EQ(lines.size(), 13u);
  EXPECT_EQ(lines.back(), "... 28 more");
}

TEST(Stack, SaysHowOftenAFunctionCalledItself) {
  Lines frames(60, "worker(recurse)[0x1]");
  frames.push_back("worker(main)[0x2]");
  EXPECT_EQ(readable_stack(frames, "/x/rewards/a.so"),
            (Lines{"worker(recurse)[0x1]  (60 times)", "worker(main)[0x2]"}));
}

TEST(Stack, KeepsWhatNobodyCanLookUp) {
  EXPECT_EQ(readable_stack({"/nowhere/a.so(+0x1139)[0x7f]"}, "/nowhere/a.so"), Lines{"/nowhere/a.so(+0x1139)[0x7f]"});
}

}  // namespace
}  // namespace compeer::contract
