#include <nlohmann/json.hpp>

#include "places.h"
#include "../program.h"

namespace compeer::app {
namespace {

TEST_F(Program, TellsMistakesOnTheCommandLineWithExit2) {
  EXPECT_TRUE(
      told("reslove x.toml").starts_with("compeer: error: unknown command 'reslove'\n  help: did you mean 'resolve'?"));
  for (const std::string arguments : {"reslove x.toml", "resolve", "resolve --jsn x", "resolve x --set lr",
                                      "resolve x --json --toml", "", "--json"}) {
    EXPECT_TRUE(told(arguments).ends_with("exit 2")) << arguments;
  }
}

TEST_F(Program, RefusesPluginFoldersThatAreNotThere) {
  EXPECT_EQ(told("plugins list --plugin-dir nowhere"),
            "compeer: error: --plugin-dir: Directory does not exist: nowhere\n"
            "  help: see compeer plugins list --help\nexit 2");
}

TEST_F(Program, AnswersVersionAndHelp) {
  EXPECT_EQ(told("--version").substr(0, 8), "compeer ");
  EXPECT_EQ(nlohmann::json::parse(told("--version --json").substr(0, told("--version --json").find("exit"))).at("name"),
            "compeer");
  const auto help = told("--help");
  for (const std::string command : {"run", "resolve", "resume", "log", "report", "plugins", "doctor", "bench"}) {
    EXPECT_NE(help.find("\n  " + command + " "), std::string::npos) << command;
    EXPECT_TRUE(told(command + " --help").ends_with("exit 0")) << command;
  }
  EXPECT_NE(help.find("85 preempted"), std::string::npos);
}

TEST_F(Program, SaysSoWhenItsOutputIsLost) {
  EXPECT_EQ(told("resolve " + smoke + " > /dev/full"), "compeer: error: standard output can't be written\nexit 1");
  EXPECT_EQ(told("resolve " + smoke + " | true"), "exit 0") << "a reader that goes away is no error";
}

TEST_F(Program, LinksNeitherLibtorchNorMpi) {
  const auto libraries = told("--version; ldd " COMPEER_BINARY_DIR "/bin/compeer");
  EXPECT_NE(libraries.find("libstdc++"), std::string::npos) << libraries;
  for (const std::string other : {"torch", "libc10", "libmpi"})
    EXPECT_EQ(libraries.find(other), std::string::npos) << libraries;
}

}  // namespace
}  // namespace compeer::app
