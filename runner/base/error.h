#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer {

/// Exit code of the programs.
enum class Exit {
  ok = 0,
  failure = 1,     ///< failure of the system or a bug: disk full, out of memory, a failed read or write
  usage = 2,       ///< wrong command line, or a machine without the requested device
  spec = 3,        ///< invalid settings, experiment file or Lua script
  data = 4,        ///< a data file, model or run folder is missing, invalid or already used
  plugin = 5,      ///< a plugin failed or is not allowed
  spent = 84,      ///< the budget for chat models is used up; the run can be resumed
  preempted = 85,  ///< stopped by a signal; the run can be resumed
  watchdog = 86    ///< a rank made no progress for too long
};

/// True for exit codes that are not failures: the run stopped on purpose and can be resumed from its checkpoint.
inline bool is_stop(Exit exit) { return exit == Exit::spent || exit == Exit::preempted; }

/// An error shown to the user: its location, the problem, and how to fix it. Thrown by code that has the file, key,
/// plugin or rank at hand; caught in `main`, which ends the process with its exit code, and where C++ is called from
/// Lua. For bugs in this program use TORCH_CHECK or assert instead.
///
///   throw Error("experiments/grpo.toml:14", "no reward plugin 'lenght'", "did you mean 'length'?");
class Error : public std::runtime_error {
 public:
  /// `where`: location of the problem, such as "file:line"; may be empty. `what`: the problem. `help`: advice; may be
  /// empty. what() returns "<where>: <what>\n  help: <help>". `exit`: exit code of the process.
  Error(std::string where, std::string what, std::string help = "", Exit exit = Exit::spec);

  const std::string& where() const { return where_; }
  const std::string& problem() const { return what_; }  ///< the constructor's argument `what`
  const std::string& help() const { return help_; }
  Exit exit() const { return exit_; }

 private:
  std::string where_, what_, help_;
  Exit exit_;
};

/// Returns the one of `names` with the smallest edit distance to `wrong`, a misspelled name, or "" if none is close
/// enough to be a typing error. "gpu" and "nvidia" match "cuda"; "clip" matches "grpo.clip".
std::string nearest(const std::string& wrong, const std::vector<std::string>& names);

/// Returns the help text for the unknown name `wrong`: "did you mean 'length'? known: format, length". The question is
/// left out if none of `names` is close. Of more than 24 names it lists the 8 that are most like `wrong`, then `all`,
/// the command that prints all names: "known: clip, clip_low and 49 more: compeer settings grpo".
std::string suggest(const std::string& wrong, const std::vector<std::string>& names, const std::string& all = "");

/// Returns a copy of `error` with the outer location `where` put in front of its own: "line 7: cat.png: can't be read".
inline Error with_outer_location(const std::string& where, const Error& error) {
  const auto what = error.where().empty() ? error.problem() : error.where() + ": " + error.problem();
  return {where, what, error.help(), error.exit()};
}

}  // namespace compeer
