#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "app/doctor/doctor.h"  // IWYU pragma: export

namespace compeer::app {

/// Each command lives in its own file and adds itself: a subcommand with its options, whose callback sets `action`
/// to what it does (the exit code is the result). Nothing runs while the command line is being read, so `--help`
/// and mistakes in options are answered first. An action reports failure by throwing Error; main prints it.
/// Data goes to standard output, everything else to standard error. SIGPIPE is ignored: who starts a program sets it
/// back to its default for that program.
/// The main program has one option of its own that commands inherit: --plugin-dir DIR (repeatable), which is put
/// in front of COMPEER_PLUGIN_PATH, so that commands and workers need to look at that variable only.
///
///   void add_resolve(CLI::App& app, std::function<int()>& action) {
///     auto options = std::make_shared<Options>();
///     auto* command = app.add_subcommand("resolve", "Print what would run");
///     command->add_option("file", options->file, "a TOML file or Lua script")->required();
///     command->callback([options, &action] { action = [options] { return resolve(*options); }; });
///   }
void add_run(CLI::App& app, std::function<int()>& action);       // run.cpp
void add_resolve(CLI::App& app, std::function<int()>& action);   // resolve.cpp
void add_resume(CLI::App& app, std::function<int()>& action);    // run.cpp
void add_submit(CLI::App& app, std::function<int()>& action);    // submit/
void add_log(CLI::App& app, std::function<int()>& action);       // log.cpp
void add_report(CLI::App& app, std::function<int()>& action);    // report.cpp
void add_rescore(CLI::App& app, std::function<int()>& action);   // rescore.cpp
void add_plugins(CLI::App& app, std::function<int()>& action);   // plugins.cpp
void add_bench(CLI::App& app, std::function<int()>& action);     // bench.cpp
void add_tokenize(CLI::App& app, std::function<int()>& action);  // tokenize.cpp
void add_verify(CLI::App& app, std::function<int()>& action);    // verify.cpp
void add_generate(CLI::App& app, std::function<int()>& action);  // generate.cpp
void add_score(CLI::App& app, std::function<int()>& action);     // generate.cpp
void add_chat(CLI::App& app, std::function<int()>& action);      // chat.cpp
void add_data(CLI::App& app, std::function<int()>& action);      // data/

// Below `plugins`:
void add_new_plugin(CLI::App& plugins, std::function<int()>& action);  // plugin_project/
void add_stubs(CLI::App& plugins, std::function<int()>& action);       // plugin_reference/

}  // namespace compeer::app
