// The program compeer: parses the command line, runs one command, and turns errors into messages and exit codes.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.h"
#include "app/home.h"
#include "app/terminal.h"
#include "base/crash.h"
#include "base/error.h"
#include "record/mapped_file.h"
#include "spec/text.h"

namespace {

using compeer::Error;
using compeer::Exit;

constexpr const char* footer = R"(
FILE is a TOML file (experiments/*.toml) or a Lua script (scripts/*.lua).
Data goes to standard output, messages to standard error.

Exit codes: 0 fine, 1 other failure, 2 mistake on the command line, 3 in a spec or script, 4 in data,
            5 in a plugin, 84 a budget is spent and 85 preempted (resume it), 86 the watchdog ended a run that hung.
Environment: COMPEER_PLUGIN_PATH (folders with plugins), COMPEER_LOCKED (lists of allowed plugins),
            COMPEER_HOME (folder with compeer's own experiments/ and plugins/; found automatically), NO_COLOR.
Start with:  compeer run scripts/quickstart.lua    compeer COMMAND --help)";

struct Main {
  bool version = false, json = false;
  std::vector<std::string> plugin_folders;
  std::string locked;
  compeer::app::Action action;
};

int print_version(bool as_json) {
  if (as_json) {
    std::cout << nlohmann::ordered_json{{"name", "compeer"}, {"version", COMPEER_VERSION}, {"compiler", __VERSION__}}
              << '\n';
  } else {
    std::cout << "compeer " COMPEER_VERSION "\n";
  }
  return 0;
}

void build(CLI::App& app, Main& main) {
  app.name("compeer");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.set_help_all_flag("--help-all", "the help of all commands");
  app.add_flag("--version", main.version, "print the version");
  app.add_flag("--json", main.json, "with --version: as one JSON object");
  app.add_option("--plugin-dir", main.plugin_folders, "look for plugins in DIR first (repeatable)")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::ExistingDirectory.description(""));
  app.add_flag("--locked{compeer.lock}", main.locked,
               "load only plugins that a list allows: compeer.lock, or --locked=FILE (see plugins lock)")
      ->type_name("FILE");
  compeer::app::add_commands(app, main.action);
  app.footer(footer);  // after the commands, which would inherit it
}

int run(int argc, char** argv) {
  CLI::App app{"Trains language models to give emotional support, by reinforcement learning on steps and outcomes."};
  Main main;
  build(app, main);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    throw compeer::app::usage_error(app, {argv + 1, argv + argc}, error.what());
  }
  if (main.version) return print_version(main.json);
  if (!main.action) {
    std::cerr << app.help();
    return static_cast<int>(Exit::usage);
  }
  compeer::app::add_plugin_folders(main.plugin_folders);
  compeer::app::add_allow_list(main.locked);
  compeer::app::set_home();
  return main.action();
}

bool colourful() {
  const char* terminal = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) && !(no_color && *no_color) && terminal && std::string(terminal) != "dumb";
}

int report(const std::string& text, Exit exit) {
  std::cout.flush();
  std::fputs(("compeer: " + std::string(colourful() ? "\033[1;31merror:\033[0m " : "error: ")).c_str(), stderr);
  std::fputs((compeer::spec::error_text(text) + '\n').c_str(), stderr);
  return static_cast<int>(exit);
}

// Reports a failed read of a memory-mapped file and exits; any other SIGBUS ends the process as usual.
void on_bus_error(int, siginfo_t* info, void*) {
  const auto fault = compeer::record::find_mapped_fault(info->si_addr);
  if (!fault.file) compeer::exit_by_signal(SIGBUS);
  compeer::record::write_mapped_fault(fault, "error: ");
  ::_exit(static_cast<int>(fault.exit));
}

void watch_mapped_files() {
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  // A closed pipe (compeer log show | head) must end the output, not the runs that this process supervises.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` fails with an error like any other
  watch_mapped_files();
  const compeer::app::EscapingOutput messages(std::cerr);
  std::optional<compeer::app::EscapingOutput>
      data;  // filtered only on a terminal, so that programs get the exact bytes
  if (::isatty(STDOUT_FILENO)) data.emplace(std::cout);
  int exit = 0;
  try {
    exit = run(argc, argv);
    if (!std::cout.flush() && errno != EPIPE) exit = report("standard output can't be written", Exit::failure);
  } catch (const Error& error) {
    exit = report(error.what(), error.exit());
  } catch (const std::exception& error) {
    exit = report(error.what(), Exit::failure);
  }
  return exit;
}
