#include "contract/worker_check.h"

#include <gtest/gtest.h>

namespace compeer::contract {
namespace {

using Lines = std::vector<std::string>;

TEST(WorkerReport, IsReadLineByLine) {
  const auto report = read_report(
      "{\"call\":{\"check\":\"inputs\",\"method\":\"score\",\"input\":\"x\"}}\n"
      "{\"finding\":{\"check\":\"inputs\",\"verdict\":\"fails\",\"what\":\"no\",\"stack\":[]}}\n{\"made\":true}\n");
  EXPECT_EQ(report.call.at("method"), "score");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].verdict, CheckVerdict::fails);
  EXPECT_EQ(report.made, true);
  EXPECT_TRUE(report.crash.is_null());
}

TEST(WorkerReport, HasTheStackBehindACrash) {
  const auto report = read_report("{\"crash\":{\"signal\":11}}\n  /x/y.so+0x12  f() at y.cpp:3\n{}\n");
  EXPECT_EQ(report.crash.at("signal"), 11);
  EXPECT_EQ(report.stack, (Lines{"/x/y.so+0x12  f() at y.cpp:3", "{}"}));
}

TEST(WorkerReport, LeavesOutWhatTheWorkerDoesNotWrite) {
  for (const char* text : {"noise", "", "[1]", "{}", "7", R"({"finding":7})", R"({"finding":{"check":"x"}})",
                           R"({"made":"yes"})", R"({"error":null})", R"(half a line{"made":true})", "\xff{"}) {
    const auto report = read_report(std::string(text) + "\n");
    EXPECT_TRUE(report.findings.empty()) << text;
    EXPECT_TRUE(report.call.is_null()) << text;
    EXPECT_FALSE(report.made) << text;
  }
}

TEST(OwnPart, OfAStackLiesBetweenThePluginsFunctions) {
  EXPECT_EQ(own_part({"worker+0x1  on_crash", "/x/rewards/a.so+0x3  score", "libstdc++.so+0x4  sort",
                      "/x/rewards/a.so+0x5  less", "worker+0x6"},
                     "/x/rewards/a.so"),
            (Lines{"/x/rewards/a.so+0x3  score", "libstdc++.so+0x4  sort", "/x/rewards/a.so+0x5  less"}));
}

TEST(OwnPart, IsTheWholeStackWithoutThePlugin) {
  EXPECT_EQ(own_part({"worker+0x1", "libc.so+0x2"}, "/x/rewards/a.so"), (Lines{"worker+0x1", "libc.so+0x2"}));
  EXPECT_EQ(own_part({}, "/x/rewards/a.so"), Lines());
}

TEST(OwnPart, IsCutAfterTwelveLines) {
  const auto lines = own_part(Lines(40, "worker+0x1"), "/x/rewards/a.so");
  ASSERT_EQ(lines.size(), 13u);
  EXPECT_EQ(lines.back(), "... 28 more");
}

}  // namespace
}  // namespace compeer::contract
