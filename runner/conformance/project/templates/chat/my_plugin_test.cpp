#include <compeer/chat.h>
#include <compeer/testing.h>
#include <gtest/gtest.h>

namespace {

TEST(MyPlugin, AsksBack) {
  compeer::TestHost host;
  const auto plugin = compeer::open_library<compeer::ChatModel>(PLUGIN_FILE, {{"words", "Why"}}, host);
  const auto replies = compeer::replies_of(*plugin, {{.turns = {{"user", "sad"}}}, {.turns = {{"user", ""}}}});
  EXPECT_EQ(replies[0].text, "Why \"sad\"?");
  EXPECT_EQ(replies[1].text, "Why \"\"?");
}

}  // namespace
