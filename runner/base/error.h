#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace compeer {

/// What a process ends with; documented in docs/exit_codes.md.
enum class Exit {
  ok = 0,
  failure = 1,
  usage = 2,
  spec = 3,
  data = 4,
  plugin = 5,
  spent = 84,  ///< a budget is; the run can go on with another
  preempted = 85,
  watchdog = 86
};

/// No fault: the run has a checkpoint, and can be resumed.
inline bool is_stop(Exit exit) { return exit == Exit::spent || exit == Exit::preempted; }

/// An error for people: where it is, what is wrong, how to mend it. Thrown where the file, key, plugin or rank
/// is known; caught in `main` and at the edge to Lua. Mistakes of our own are TORCH_CHECK or assert instead.
///
///   throw Error("experiments/grpo.toml:14", "no reward plugin 'lenght'", "did you mean 'length'?");
class Error : public std::runtime_error {
 public:
  Error(std::string where, std::string what, std::string help = "", Exit exit = Exit::spec);

  const std::string& where() const { return where_; }
  const std::string& problem() const { return what_; }  ///< `what` alone; what() is the whole text
  const std::string& help() const { return help_; }
  Exit exit() const { return exit_; }

 private:
  std::string where_, what_, help_;
  Exit exit_;
};

/// The name nearest to `wrong` by edit distance, or "" if none is near enough to be meant. "gpu" means "cuda".
std::string nearest(const std::string& wrong, const std::vector<std::string>& names);

/// "did you mean 'length'? known: format, length"; the first part if a name is near; of over 100 those most alike.
std::string suggest(const std::string& wrong, const std::vector<std::string>& names);

/// An error that came up within something larger, with that in front: "line 7: cat.png: can't be read".
inline Error within(const std::string& where, const Error& error) {
  const auto what = error.where().empty() ? error.problem() : error.where() + ": " + error.problem();
  return {where, what, error.help(), error.exit()};
}

}  // namespace compeer
