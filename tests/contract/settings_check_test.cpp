#include "contract/plugin_choice.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::contract {
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
  EXPECT_EQ(text(made), "fails: its defaults are refused: no similarity plugin 'nothing'\n");
  EXPECT_TRUE(made.settings.is_null());
}

TEST(SettingsCheck, FindsKeysThatEveryPluginOfTheKindHas) {
  const auto made = check(R"({"weight": {"type": "number", "default": 1}, "plugin": {"type": "string"},
                              "weights": {"type": "number", "default": 1}})");
  EXPECT_EQ(text(made),
            "fails: its parameter 'weight' is a key that every plugin of rewards has: no run can use it; rename it\n"
            "fails: its parameter 'plugin' is a key that every plugin of rewards has: no run can use it; rename it\n");
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

}  // namespace
}  // namespace compeer::contract
