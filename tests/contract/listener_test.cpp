#include "contract/listener.h"

#include <gtest/gtest.h>

namespace compeer::contract {
namespace {

TEST(Listener, UnderstandsTheWorkerInPieces) {
  Listener listener;
  EXPECT_EQ(listener.calls.at("method"), "");
  listener.take(R"({"calls":{"check":"inputs","method":"score","inp)");
  EXPECT_EQ(listener.calls.at("method"), "");
  listener.take(
      "ut\":\"x\"}}\n{\"finding\":{\"check\":\"inputs\",\"verdict\":\"fails\",\"what\":\"no\",\"stack\":[]}}\n");
  listener.take("{\"forked\":true}\n{\"ends\":{\"made\":true}}\n");
  EXPECT_TRUE(listener.forked);
  EXPECT_EQ(listener.calls.at("method"), "score");
  ASSERT_EQ(listener.findings.size(), 1u);
  EXPECT_EQ(listener.findings[0].verdict, CheckVerdict::fails);
  EXPECT_EQ(listener.made, true);
  EXPECT_FALSE(listener.disturbed);
}

TEST(Listener, TakesWhatFollowsACrashForItsStack) {
  Listener listener;
  listener.take(
      "{\"crash\":{\"signal\":11,\"check\":\"inputs\",\"method\":\"score\",\"input\":\"x\"}}\n/x/y.so(+0x12)\n{}\n");
  EXPECT_EQ(listener.crash.at("signal"), 11);
  EXPECT_EQ(listener.stack, (std::vector<std::string>{"/x/y.so(+0x12)", "{}"}));
  EXPECT_FALSE(listener.disturbed);
}

TEST(Listener, NotesWhatTheWorkerDoesNotWrite) {
  for (const char* text :
       {"noise", "", "[1]", "{}", "7", R"({"finding":7})", R"({"finding":{"check":"x"}})", R"({"calls":[]})",
        R"({"calls":{"check":"x","method":7,"input":""}})", R"({"crash":{"signal":"x"}})",
        R"({"crash":{"signal":-1,"check":"","method":"","input":""}})", R"({"ends":true})", R"({"gives_up":null})",
        R"(half a line{"ends":{"made":true}})", "\xff{"}) {
    Listener listener;
    listener.take(std::string(text) + "\n");
    EXPECT_TRUE(listener.disturbed) << text;
    EXPECT_TRUE(listener.crash.is_null()) << text;
    EXPECT_TRUE(listener.findings.empty()) << text;
    EXPECT_EQ(listener.calls.at("method"), "") << text;
    EXPECT_FALSE(listener.made) << text;
  }
}

TEST(Listener, KeepsNoLineWithoutAnEnd) {
  Listener listener;
  for (int i = 0; i < 3; ++i) listener.take(std::string(1 << 20, 'x'));
  EXPECT_TRUE(listener.disturbed);
}

}  // namespace
}  // namespace compeer::contract
