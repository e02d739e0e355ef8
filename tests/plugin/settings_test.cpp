// What docs/plugins.md says of the getters of compeer/settings.h, and its example, which is compiled.
#include "compeer/settings.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <regex>
#include <set>

#include "base/files.h"
#include "places.h"
#include "taste.h"
#include "tiny_elf.h"

namespace compeer::plugin {
namespace {

using nlohmann::json;

const std::string page = read_file(COMPEER_SOURCE_DIR "/docs/plugins.md");

// All that the first group of the pattern matches.
std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

// The settings of a plugin with the parameters of the page, of which the user says only these.
Settings settings_of_the_page(const json& said) {
  std::smatch block;
  EXPECT_TRUE(std::regex_search(page, block, std::regex("```json\n\"parameters\": ([^`]*)```")));
  json values = defaults(read_descriptor(tiny_elf(probe_descriptor(block[1])), "rewards/probe.so").parameters);
  values.update(said);
  return Settings(values);
}

TEST(SettingsPage, HasEveryGetter) {
  const auto header = read_file(COMPEER_SOURCE_DIR "/runner/sdk/compeer/settings.h");
  const auto getters =
      matches(header.substr(0, header.find("private:")), R"((\w+)\((?:const std::string& key)?\) const \{)");
  EXPECT_GE(getters.size(), 9u);
  EXPECT_EQ(matches(page, R"(\n\| `(\w+)\((?:"key")?\)` \|)"), getters);
}

TEST(SettingsPage, ReadsItsExample) {
  const Taste taste(settings_of_the_page(json::object()));
  EXPECT_EQ(taste.words, (std::vector<std::string>{"you", "feel"}));
  EXPECT_EQ(taste.points, (std::map<std::string, double>{{"feel", 2}}));
  EXPECT_EQ(taste.most, std::nullopt);
  EXPECT_EQ(taste.shout, false);
  EXPECT_EQ(taste.factor, 0.5);
  EXPECT_EQ(Taste(settings_of_the_page({{"most", 80}})).most, 80);
}

TEST(Settings, AreReadByTheGetterOfTheirType) {
  const Settings settings({{"number", 0.5},
                           {"integer", 3},
                           {"boolean", true},
                           {"string", "a"},
                           {"texts", {"a", "b"}},
                           {"numbers", {1, 2.5}},
                           {"table", {{"inside", 7}}},
                           {"unset", nullptr}});
  EXPECT_EQ(settings.number("number"), 0.5);
  EXPECT_EQ(settings.number("integer"), 3);
  EXPECT_EQ(settings.integer("integer"), 3);
  EXPECT_TRUE(settings.flag("boolean"));
  EXPECT_EQ(settings.text("string"), "a");
  EXPECT_EQ(settings.texts("texts"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(settings.numbers("numbers"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(settings.table("table").integer("inside"), 7);
  EXPECT_TRUE(settings.has("string"));
  EXPECT_FALSE(settings.has("unset"));
  EXPECT_EQ(settings.json().size(), 8u);
}

TEST(Settings, ReadAsAnotherTypeSayWhichAndHow) {
  const auto said = [](const auto& read) -> std::string {
    try {
      read(Settings({{"word", "a"}, {"count", 3}}));
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said([](const Settings& s) { s.number("word"); }),
            "setting 'word' is \"a\", and was asked for as a number");
  EXPECT_EQ(said([](const Settings& s) { s.flag("count"); }), "setting 'count' is 3, and was asked for as a flag");
  EXPECT_EQ(said([](const Settings& s) { s.texts("word"); }),
            "setting 'word' is \"a\", and was asked for as a list of texts");
  EXPECT_EQ(said([](const Settings& s) { s.text("wrod"); }), "setting 'wrod' is not in the plugin's descriptor");
}

}  // namespace
}  // namespace compeer::plugin
