#include "conformance/plugin_choice.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "conformance/worker_check.h"

namespace compeer::conformance {
namespace {

plugin::Descriptor descriptor(const char* parameters) {
  plugin::Descriptor made;
  made.kind = "rewards";
  made.name = "probe";
  made.parameters = spec::parse_schema(nlohmann::ordered_json::parse(parameters));
  return made;
}

SettingsCheck check(const char* parameters, const std::vector<std::string>& sets = {}) {
  return check_settings(descriptor(parameters), sets, plugin::Finder({"/nowhere"}));
}

std::string text(const SettingsCheck& check) {
  std::string lines;
  for (const CheckFinding& one : check.findings)
    lines += nlohmann::json(one.verdict).get<std::string>() + ": " + one.what + "\n";
  return lines;
}

TEST(SettingsCheck, CollectsTheEndsOfEveryRange) {
  const auto made = check(R"({"share": {"type": "number", "default": 0.5, "above": 0, "max": 1},
                              "count": {"type": "integer", "default": 2, "min": 1, "below": 9}})");
  EXPECT_EQ(text(made), "holds: the defaults are valid, 2 of them\n");
  using Edges = std::vector<std::pair<std::string, nlohmann::json>>;
  EXPECT_EQ(made.edges, (Edges{{"share", 5e-324}, {"share", 1.0}, {"count", 1}, {"count", 8}}));
  EXPECT_EQ(made.settings, (nlohmann::json{{"plugin", "probe"}, {"share", 0.5}, {"count", 2}}));
}

TEST(SettingsCheck, SaysWhatIsMissing) {
  const char* parameters = R"({"path": {"type": "string"}, "tau": {"type": "number", "default": null}})";
  auto made = check(parameters);
  EXPECT_EQ(made.missing, std::vector<std::string>{"path"});
  EXPECT_EQ(made.unset, std::vector<std::string>{"tau"});
  EXPECT_TRUE(made.settings.is_null());
  made = check(parameters, {"path=here", "tau=2"});
  EXPECT_EQ(made.settings, (nlohmann::json{{"plugin", "probe"}, {"path", "here"}, {"tau", 2.0}}));
  EXPECT_TRUE(made.unset.empty());
}

TEST(SettingsCheck, FindsADefaultThatNamesNoPlugin) {
  const auto made = check(R"({"like": {"type": "plugin", "kind": "similarity", "default": "nothing"}})");
  EXPECT_EQ(text(made), "fails: its defaults are invalid: no similarity plugin 'nothing'\n");
  EXPECT_TRUE(made.settings.is_null());
}

TEST(SettingsCheck, FindsKeysThatEveryPluginOfTheKindHas) {
  const auto made = check(R"({"weight": {"type": "number", "default": 1}, "plugin": {"type": "string"},
                              "weights": {"type": "number", "default": 1}})");
  EXPECT_EQ(
      text(made),
      "fails: its parameter 'weight' is a key that every plugin of rewards has, so no run can set it; rename it\n"
      "fails: its parameter 'plugin' is a key that every plugin of rewards has, so no run can set it; rename it\n");
  EXPECT_TRUE(made.settings.is_null());
}

TEST(SettingsCheck, RefusesMistakesInWhatIsSet) {
  try {
    check(R"({"count": {"type": "integer", "default": 2, "min": 1}})", {"count=0"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--set: 'count' must be an integer of at least 1, not 0");
  }
}

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
}  // namespace compeer::conformance
