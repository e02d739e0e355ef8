#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer {

/// Exit code of a process that ends with an Error (docs/exit_codes.md). Comments write it as "Throws Error (exit 4)".
enum class Exit {
  ok = 0,
  failure = 1,     ///< the system failed, such as a full disk, or the program has a bug
  usage = 2,       ///< wrong command line
  spec = 3,        ///< wrong settings: a spec, experiment or script
  data = 4,        ///< a file or folder is missing or has invalid contents
  plugin = 5,      ///< a plugin is missing, broken, or violated its interface
  spent = 84,      ///< a chat model's budget is used up; the run can be resumed
  preempted = 85,  ///< stopped by a signal after a checkpoint; the run can be resumed
  watchdog = 86    ///< ended because it made no progress
};

/// True for exit codes that are not failures: the run stopped on purpose and can be resumed from its checkpoint.
inline bool is_stop(Exit exit) { return exit == Exit::spent || exit == Exit::preempted; }

/// An error shown to the user: where it is, what is wrong, how to fix it. Thrown where the file, key, plugin or rank is
/// known; caught in `main` and where C++ is called from Lua. For bugs in this program use TORCH_CHECK or assert
/// instead.
///
///   throw Error("experiments/grpo.toml:14", "no reward plugin 'lenght'", "did you mean 'length'?");
class Error : public std::runtime_error {
 public:
  Error(std::string where, std::string what, std::string help = "", Exit exit = Exit::spec);

  const std::string& where() const { return where_; }
  const std::string& problem() const { return what_; }  ///< the argument `what`; what() returns the complete message
  const std::string& help() const { return help_; }
  Exit exit() const { return exit_; }

 private:
  std::string where_, what_, help_;
  Exit exit_;
};

/// Returns the name with the smallest edit distance to `wrong`, or "" if none is close enough to be a typing error.
/// "gpu" and "nvidia" match "cuda"; "clip" matches "grpo.clip".
std::string nearest(const std::string& wrong, const std::vector<std::string>& names);

/// Returns a help text such as "did you mean 'length'? known: format, length". The question is left out if no name is
/// close. Of more than 24 names it lists the 8 that are most like `wrong`, then `all`, the command that prints all
/// names: "known: clip, clip_low and 49 more: compeer settings grpo".
std::string suggest(const std::string& wrong, const std::vector<std::string>& names, const std::string& all = "");

/// Returns `error` with an outer location put in front of its own: "line 7: cat.png: can't be read".
inline Error with_outer_location(const std::string& where, const Error& error) {
  const auto what = error.where().empty() ? error.problem() : error.where() + ": " + error.problem();
  return {where, what, error.help(), error.exit()};
}

}  // namespace compeer
