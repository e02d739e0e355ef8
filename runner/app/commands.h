#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace compeer::app {

/// What the command line asks for; the result is the exit code.
using Action = std::function<int()>;

/// Adds every command to the program: the table in commands.cpp has a line for each, with its summary and an example.
void add_commands(CLI::App& program, Action& action);

/// A command adds its options, and a callback that sets `action` to what it does. Nothing runs while the command line
/// is being read, so `--help` and mistakes in options are answered first. An action reports failure by throwing Error;
/// main prints it. Data goes to standard output, everything else to standard error. SIGPIPE is ignored: who starts a
/// program sets it back to its default for that program.
///
///   void add_resolve(CLI::App& command, Action& action) {
///     auto options = std::make_shared<Options>();
///     command.add_option("FILE", options->file, "a TOML file or Lua script")->required();
///     command.callback([options, &action] { action = [options] { return resolve(*options); }; });
///   }
void add_run(CLI::App& command, Action& action);
void add_resolve(CLI::App& command, Action& action);
void add_settings(CLI::App& command, Action& action);
void add_resume(CLI::App& command, Action& action);
void add_submit(CLI::App& command, Action& action);
void add_log_show(CLI::App& command, Action& action);
void add_log_watch(CLI::App& command, Action& action);
void add_log_export(CLI::App& command, Action& action);
void add_log_group(CLI::App& command, Action& action);
void add_log_diff(CLI::App& command, Action& action);
void add_log_verify(CLI::App& command, Action& action);
void add_report(CLI::App& command, Action& action);
void add_plugins_list(CLI::App& command, Action& action);
void add_plugins_inspect(CLI::App& command, Action& action);
void add_plugins_new(CLI::App& command, Action& action);
void add_plugins_stubs(CLI::App& command, Action& action);
void add_plugins_check(CLI::App& command, Action& action);
void add_plugins_lock(CLI::App& command, Action& action);
void add_about(CLI::App& command, Action& action);
void add_export(CLI::App& command, Action& action);
void add_import(CLI::App& command, Action& action);
void add_tokenize(CLI::App& command, Action& action);
void add_doctor(CLI::App& command, Action& action);
void add_bench(CLI::App& command, Action& action);
void add_verify(CLI::App& command, Action& action);
void add_generate(CLI::App& command, Action& action);
void add_score(CLI::App& command, Action& action);
void add_chat(CLI::App& command, Action& action);
void add_serve(CLI::App& command, Action& action);
void add_data_stats(CLI::App& command, Action& action);
void add_data_answers(CLI::App& command, Action& action);
void add_rescore(CLI::App& command, Action& action);

/// What is wrong with a command line that CLI11 refused, in our words (exit 2): an unknown command or option with the
/// nearest name, whichever comes first; else CLI11's own complaint.
Error usage_error(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& complaint);

}  // namespace compeer::app
