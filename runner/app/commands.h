#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

// The command line of the program compeer, parsed with CLI11. Each command is a CLI::App within `program`.

namespace compeer::app {

/// The selected command with its parsed options. Returns the exit code.
using Action = std::function<int()>;

/// Adds all commands to `program`, with their summaries and examples. Parsing the command line then sets `action`.
void add_commands(CLI::App& program, Action& action);

/// One function per command: add_log_show is `compeer log show`. It adds the options of the command and a callback that
/// sets `action`; the action runs after the whole command line has been parsed. An action throws Error on failure,
/// which main prints. It writes data to standard output and everything else to standard error. `main` ignores SIGPIPE,
/// so an action that starts a program must restore the default for it.
///
///   void add_resolve(CLI::App& command, Action& action) {
///     auto options = std::make_shared<Options>();
///     command.add_option("FILE", options->file, "a TOML file or Lua script")->required();
///     command.callback([options, &action] { action = [options] { return resolve(*options); }; });
///   }
void add_run(CLI::App& command, Action& action);              ///< runs an experiment (TOML) or a Lua script
void add_resolve(CLI::App& command, Action& action);          ///< prints the settings that a run would use
void add_settings(CLI::App& command, Action& action);         ///< prints all settings that experiments can have
void add_resume(CLI::App& command, Action& action);           ///< continues a run
void add_submit(CLI::App& command, Action& action);           ///< submits experiments and scripts as Slurm jobs
void add_log_show(CLI::App& command, Action& action);         ///< prints metrics and events of a run
void add_log_watch(CLI::App& command, Action& action);        ///< follows running runs
void add_log_export(CLI::App& command, Action& action);       ///< writes CSV, TensorBoard files or completions
void add_log_group(CLI::App& command, Action& action);        ///< prints one prompt's completions
void add_log_diff(CLI::App& command, Action& action);         ///< compares two runs
void add_log_verify(CLI::App& command, Action& action);       ///< checks a run's files
void add_report(CLI::App& command, Action& action);           ///< writes an HTML page about runs
void add_plugins_list(CLI::App& command, Action& action);     ///< lists plugins
void add_plugins_inspect(CLI::App& command, Action& action);  ///< prints a plugin's settings
void add_plugins_new(CLI::App& command, Action& action);      ///< starts a plugin project
void add_plugins_stubs(CLI::App& command, Action& action);    ///< writes Lua declarations for editors
void add_plugins_check(CLI::App& command, Action& action);    ///< tests a plugin
void add_plugins_lock(CLI::App& command, Action& action);     ///< writes a list of allowed plugins
void add_about(CLI::App& command, Action& action);            ///< describes a model folder
void add_export(CLI::App& command, Action& action);           ///< merges an adapter into its base model
void add_import(CLI::App& command, Action& action);           ///< converts a GGUF file to a model folder
void add_tokenize(CLI::App& command, Action& action);         ///< converts text to token ids and back
void add_doctor(CLI::App& command, Action& action);           ///< checks this machine
void add_bench(CLI::App& command, Action& action);            ///< measures this build's speed
void add_verify(CLI::App& command, Action& action);           ///< compares this build with reference values
void add_generate(CLI::App& command, Action& action);         ///< completes prompts
void add_score(CLI::App& command, Action& action);            ///< computes log-probabilities of texts
void add_chat(CLI::App& command, Action& action);             ///< talks to a model in the terminal
void add_serve(CLI::App& command, Action& action);            ///< answers HTTP requests with a model
void add_data_stats(CLI::App& command, Action& action);       ///< counts the contents of a data set
void add_data_answers(CLI::App& command, Action& action);     ///< counts or deletes stored answers
void add_rescore(CLI::App& command, Action& action);          ///< repeats an evaluation on recorded dialogues

/// Returns an Error (exit code 2: wrong command line) for a command line that CLI11 rejected: the first unknown command
/// or option, with the nearest valid name, or, if all are known, CLI11's message `complaint`. `arguments`: the words of
/// the command line after the program's name.
Error usage_error(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& complaint);

}  // namespace compeer::app
