#include "plugin/descriptor.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "compeer/settings.h"
#include "folder.h"
#include "places.h"
#include "taste.h"
#include "tiny_elf.h"

namespace compeer::plugin {
namespace {

const std::filesystem::path file = "/somewhere/rewards/probe.so";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Returns the error for a library with these bytes; checks that it has exit code 5 and names the file.
Error error_of(const std::string& bytes, const std::filesystem::path& name = file) {
  try {
    read_descriptor(bytes, name);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::plugin);
    EXPECT_EQ(error.where(), name.string());
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("", "");
}

TEST(Descriptor, IsReadFromTheSection) {
  const auto read = read_descriptor(
      tiny_elf(probe_descriptor(R"({"z": {"type": "integer", "default": 3}, "a": {"type": "boolean"}})", 5)), file);
  EXPECT_EQ(read.interface, 5);
  EXPECT_EQ(read.host, 1);
  EXPECT_EQ(read.kind, "rewards");
  EXPECT_EQ(read.name, "probe");
  EXPECT_EQ(read.version, "1.0.0");
  EXPECT_EQ(read.torch, torch_version());
  EXPECT_EQ(read.cxx_abi, 1);
  EXPECT_EQ(read.summary, "A probe.");
  ASSERT_EQ(read.parameters.size(), 2u);
  EXPECT_EQ(read.parameters[0].name, "z") << "parameters keep the order of their declaration";
}

TEST(Descriptor, OfABuiltPluginNamesItsSettings) {
  const auto read = read_descriptor(std::filesystem::path(COMPEER_BINARY_DIR) / "plugins/reweighting/redundancy.so");
  EXPECT_EQ(spec::names(read.parameters)[0], "alpha");
  EXPECT_EQ(*spec::find(read.parameters, "alpha")->default_value, 0.5);
}

TEST(Descriptor, RefusesFilesThatAreNoLibraries) {
  EXPECT_EQ(error_of("").problem(), "is empty");
  EXPECT_EQ(error_of("print('hello')\n").problem(), "is not a shared library (no ELF header)");
  EXPECT_EQ(error_of("\x7f"
                     "ELF")
                .problem(),
            "is cut off or damaged: the ELF header should be 64 bytes at offset 0, but the file has only 4 bytes");
  auto program = tiny_elf(probe_descriptor());
  program[16] = ET_EXEC;
  EXPECT_EQ(error_of(program).problem(), "is not a 64-bit little-endian shared library");
}

TEST(Descriptor, NamesTheProcessorOfALibraryBuiltForAnother) {
  auto bytes = tiny_elf(probe_descriptor());
  bytes[18] = static_cast<char>(EM_RISCV);
  EXPECT_NE(error_of(bytes).problem().find("is built for another processor (ELF machine 243, this one is"),
            std::string::npos);
}

TEST(Descriptor, RefusesALibraryCutOffAnywhere) {
  const auto whole = tiny_elf(probe_descriptor());
  for (size_t size = 0; size < whole.size(); ++size) error_of(whole.substr(0, size));
}

TEST(Descriptor, SurvivesEveryChangedByte) {
  const auto whole = tiny_elf(probe_descriptor());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      auto bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      try {
        read_descriptor(bytes, file);
      } catch (const Error& error) {
        EXPECT_EQ(error.exit(), Exit::plugin);
      }
    }
  }
}

TEST(Descriptor, IsMissingFromALibraryThatIsNoPlugin) {
  const auto error = error_of(tiny_elf("x", ".comment"));
  EXPECT_EQ(error.problem(), "is a shared library but not a plugin: it has no section .compeer");
  EXPECT_NE(error.help().find("COMPEER_PLUGIN"), std::string::npos);
}

TEST(Descriptor, SaysWhereItsJsonIsMalformed) {
  const auto problem = error_of(tiny_elf(replaced(probe_descriptor(), "\"cxx_abi\":1,", "\"cxx_abi\":1"))).problem();
  EXPECT_TRUE(problem.starts_with("its descriptor is not valid JSON: parse error at line 1, column ")) << problem;
  EXPECT_EQ(error_of(tiny_elf("[]")).problem(), "its descriptor is not a JSON object");
  EXPECT_EQ(error_of(tiny_elf(probe_descriptor(std::string(100000, ' ')))).problem(),
            "its descriptor is longer than 64 KiB");
}

// Defaults are copied and printed recursively.
TEST(Descriptor, MustNotNestDeeply) {
  const auto nested = std::string(25'000, '[') + std::string(25'000, ']');
  const auto error = error_of(tiny_elf(probe_descriptor(R"({"a": {"type": "list", "default": )" + nested + "}}")));
  EXPECT_EQ(error.problem(), "its descriptor nests more than 64 levels");
}

TEST(Descriptor, NamesAKeyThatIsMissingOrOfTheWrongType) {
  EXPECT_EQ(error_of(tiny_elf(replaced(probe_descriptor(), "version", "versoin"))).problem(),
            "its descriptor has no \"version\"");
  EXPECT_EQ(error_of(tiny_elf(replaced(probe_descriptor(), "\"1.0.0\"", "1"))).problem(),
            "\"version\" in its descriptor: type must be string, but is number");
  EXPECT_EQ(error_of(tiny_elf(replaced(probe_descriptor(), "\"compeer\":1", "\"compeer\":2"))).problem(),
            "its descriptor has format 2, this program reads format 1");
  EXPECT_EQ(error_of(tiny_elf(probe_descriptor("[]"))).problem(), "its descriptor has no table \"parameters\"");
}

TEST(Descriptor, NamesAParameterThatContradictsItself) {
  const auto problem =
      error_of(tiny_elf(probe_descriptor(R"({"n": {"type": "integer", "default": 0, "min": 1}})"))).problem();
  EXPECT_NE(problem.find("'n'"), std::string::npos) << problem;
  EXPECT_NE(problem.find("default"), std::string::npos) << problem;
}

TEST(Descriptor, MustMatchTheFilesKindAndName) {
  const auto bytes = tiny_elf(probe_descriptor());
  EXPECT_EQ(error_of(bytes, "/x/rewards/other.so").problem(),
            "is the plugin rewards/probe, but its path is that of rewards/other");
  EXPECT_EQ(error_of(bytes, "/x/models/probe.so").problem(),
            "is the plugin rewards/probe, but its path is that of models/probe");
}

TEST(Descriptor, OfAFileThatIsntThereIsAnErrorOfThePlugin) {
  Folder folder;
  try {
    read_descriptor(folder.path() / "rewards" / "probe.so");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::plugin);
  }
}

TEST(Defaults, AreFilledInInsideTablesToo) {
  const auto schema = spec::parse_schema(nlohmann::ordered_json::parse(R"({
    "a": {"type": "integer", "default": 2},
    "needed": {"type": "string"},
    "unset": {"type": "number", "default": null},
    "p": {"type": "plugin", "kind": "similarity", "default": "x"},
    "t": {"type": "table", "default": {"x": 5}, "parameters": {
      "x": {"type": "integer", "default": 1}, "y": {"type": "integer", "default": 7}}}})"));
  EXPECT_EQ(defaults(schema).dump(), R"({"a":2,"p":{"plugin":"x"},"t":{"x":5,"y":7},"unset":null})");
}

// The documentation in docs/plugins.md of the getters of compeer/settings.h, and its example, which is compiled.

using nlohmann::json;

const std::string page = read_file(COMPEER_SOURCE_DIR "/docs/plugins.md");

// Returns all matches of the pattern's first group.
std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

// Settings of a plugin with the parameters of the page, where the user has set `said` and the rest are defaults.
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
            "setting 'word' is \"a\", but the plugin reads it as a number");
  EXPECT_EQ(said([](const Settings& s) { s.flag("count"); }),
            "setting 'count' is 3, but the plugin reads it as a boolean");
  EXPECT_EQ(said([](const Settings& s) { s.texts("word"); }),
            "setting 'word' is \"a\", but the plugin reads it as a list of strings");
  EXPECT_EQ(said([](const Settings& s) { s.text("wrod"); }), "setting 'wrod' is not in the plugin's descriptor");
}

}  // namespace
}  // namespace compeer::plugin
