#include <gtest/gtest.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "plugin/descriptor.h"
#include "plugin/tiny_elf.h"

namespace compeer::app {

namespace {

namespace fs = std::filesystem;

// Fixture for the output of `compeer plugins ...`, with a temporary plugin folder first in the search path.
class Plugins : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "compeer-plugins-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ::setenv("COMPEER_PLUGIN_PATH", name.c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    ::unsetenv("COMPEER_PLUGIN_PATH");
  }

  void write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, bytes);
  }
  void write_probe(const std::string& parameters = "{}") {
    write("rewards/probe.so", tiny_elf(probe_descriptor(parameters)));
  }

  std::string printed(std::vector<std::string> arguments) {
    CLI::App app;
    Action action;
    add_commands(app, action);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects arguments in reverse order
    app.parse(arguments);
    std::ostringstream out;
    auto* const screen = std::cout.rdbuf(out.rdbuf());
    try {
      EXPECT_EQ(action(), 0);
    } catch (...) {
      std::cout.rdbuf(screen);
      throw;
    }
    std::cout.rdbuf(screen);
    return out.str();
  }

  Error error_of(const std::vector<std::string>& arguments) {
    try {
      printed(arguments);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return Error("", "");
  }

  fs::path folder_;
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Plugins, AreListedWithVersionAndSummary) {
  write_probe();
  write("rewards/text.so", "hello");
  const auto list = printed({"plugins", "list", "rewards"});
  EXPECT_TRUE(holds(list, "1.0.0    A probe.\n")) << list;
  EXPECT_TRUE(holds(list, "-        UNUSABLE: is not a shared library (no ELF header)\n")) << list;
  EXPECT_FALSE(holds(list, folder_.string())) << list;
  EXPECT_TRUE(holds(printed({"plugins", "list", "-v"}), (folder_ / "rewards/probe.so").string()));
}

// Reasons that would end a run are shown in the list of plugins.
TEST_F(Plugins, ThatCannotBeLoadedAreMarkedWithTheReason) {
  write("rewards/probe.so", tiny_elf(probe_descriptor("{}", 1)));
  const auto why = "was built for plugin interface 1, this program has interface " +
                   std::to_string(plugin::interface_number("rewards"));
  EXPECT_TRUE(holds(printed({"plugins", "list"}), "rewards/probe")) << "it is there";
  EXPECT_TRUE(holds(printed({"plugins", "list"}), "1.0.0    UNUSABLE: " + why + "\n"));
  auto list = nlohmann::json::parse(printed({"plugins", "list", "rewards", "--json"}));
  std::erase_if(list.get_ref<nlohmann::json::array_t&>(), [](const auto& one) { return one["name"] != "probe"; });
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["problem"], why);
  EXPECT_EQ(list[0]["interface"], 1);
  for (const auto& [good, other, reason] :
       {std::tuple{"\"torch\":\"" + plugin::torch_version(), "\"torch\":\"1.13.1", "was built for libtorch 1.13.1"},
        std::tuple{std::string("\"host\":1"), "\"host\":2", "requires host interface 2"},
        std::tuple{std::string("\"cxx_abi\":1"), "\"cxx_abi\":0", "was built with _GLIBCXX_USE_CXX11_ABI=0"}}) {
    auto descriptor = probe_descriptor();
    descriptor.replace(descriptor.find(good), good.size(), other);
    write("rewards/probe.so", tiny_elf(descriptor));
    EXPECT_TRUE(holds(printed({"plugins", "list"}), std::string("UNUSABLE: ") + reason)) << reason;
  }
}

TEST_F(Plugins, AreListedAsJson) {
  write_probe();
  write("models/text.so", "hello");
  const auto list = nlohmann::json::parse(printed({"plugins", "list", "--json"}));
  const auto named = [&](const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& one) { return one["name"] == name; });
  };
  const auto text = named("text"), probe = named("probe");
  ASSERT_NE(text, list.end());
  ASSERT_NE(probe, list.end());
  EXPECT_EQ((*text)["problem"], "is not a shared library (no ELF header)");
  EXPECT_EQ((*probe)["kind"], "rewards");
  EXPECT_EQ((*probe)["sha256"].get<std::string>().size(), 64u);
}

TEST_F(Plugins, ShowTheirSettings) {
  write_probe(R"({"n": {"type": "integer", "default": 3, "min": 1, "max": 9, "help": "how many"},
                  "style": {"type": "string", "choices": ["warm", "calm"]},
                  "tau": {"type": "number", "default": null}})");
  const auto text = printed({"plugins", "inspect", "probe"});
  EXPECT_TRUE(holds(text, "rewards/probe 1.0.0\n  A probe.\n")) << text;
  EXPECT_TRUE(holds(text,
                    "Settings\n"
                    "  n      an integer from 1 to 9; default 3\n"
                    "         how many\n"
                    "  style  one of warm, calm; required\n"
                    "  tau    a number; not set by default\n"))
      << text;
  EXPECT_TRUE(holds(text, "for plugin interface " + std::to_string(plugin::interface_number("rewards")) +
                              ", host interface 1, libtorch " + plugin::torch_version() + ", C++ ABI 1, compiler 12\n"))
      << text;
  const auto json = nlohmann::json::parse(printed({"plugins", "inspect", "rewards/probe", "--json"}));
  EXPECT_EQ(json["parameters"]["n"]["max"], 9);
}

TEST_F(Plugins, ShowNothingThatATerminalWouldObey) {
  auto descriptor = probe_descriptor();
  descriptor.replace(descriptor.find("A probe."), 8, "A\\u001b[2J.");
  write("rewards/probe.so", tiny_elf(descriptor));
  const auto text = printed({"plugins", "inspect", "probe"});
  EXPECT_TRUE(holds(text, "[2J.\n")) << text;
  EXPECT_FALSE(holds(text, "\x1b")) << text;
}

TEST_F(Plugins, ThatAreNotThereAreNamedWithTheNearest) {
  write_probe();
  auto error = error_of({"plugins", "inspect", "rewards/prob"});
  EXPECT_EQ(error.exit(), Exit::usage);
  EXPECT_EQ(error.where() + ": " + error.problem(), "rewards/prob: no such plugin");
  EXPECT_TRUE(error.help().starts_with("did you mean 'rewards/probe'?")) << error.help();
  EXPECT_TRUE(holds(error.help(), "\n  searched:\n    " + (folder_ / "rewards").string() + "\n")) << error.help();
  EXPECT_TRUE(holds(error.help(), "\n  use --plugin-dir DIR to search DIR first")) << error.help();
  error = error_of({"plugins", "list", "reward"});
  EXPECT_EQ(error.help(),
            "did you mean 'rewards'? known: datasets, models, rewards, reweighting, similarity, chat, stages");
}

TEST_F(Plugins, OfOneNameMustBeToldApart) {
  write_probe();
  write("models/probe.so", "");
  const auto error = error_of({"plugins", "inspect", "probe"});
  EXPECT_EQ(error.what(), std::string("probe: is the name of several plugins\n"
                                      "  help: say which: models/probe, rewards/probe"));
}

TEST_F(Plugins, ThatAreBrokenEndInspectWithTheirCause) {
  write("rewards/probe.so", tiny_elf(probe_descriptor()).substr(0, 100));
  const auto error = error_of({"plugins", "inspect", "probe"});
  EXPECT_EQ(error.exit(), Exit::plugin);
  EXPECT_EQ(error.where(), (folder_ / "rewards/probe.so").string());
  EXPECT_TRUE(error.problem().starts_with("is cut off or damaged")) << error.problem();
}

}  // namespace

}  // namespace compeer::app
