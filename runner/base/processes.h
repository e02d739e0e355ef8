#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

/// Processes of this machine, as listed in /proc: finding them, and ending those that outlive the code that started
/// them.
namespace compeer {

/// Return the ids of the children of a process, or of the processes in a session. Without zombies, which have ended.
std::vector<pid_t> children_of(pid_t parent);
std::vector<pid_t> processes_in_session(pid_t session);

/// True if the process is stopped by a signal such as SIGSTOP, or by a debugger.
bool is_stopped(pid_t process);

/// Returns a process's id and name for messages: "process 17 (python3)", or "process 17 (?)" if there is no such
/// process.
std::string process_title(pid_t process);

/// Kills processes until none is left. Every 5 ms, sends SIGKILL to the processes that list() returns, then calls
/// reaped(), which collects exit statuses (waitpid) and returns true if all were collected. Returns when list() is
/// empty and reaped() is true, or after 5 s. Repeats because processes may start others while they are killed.
void kill_until_none(const std::function<std::vector<pid_t>()>& list, const std::function<bool()>& reaped);

/// Guard that leaves no process behind. While it exists, this process is a subreaper: descendants become its children
/// when their parents end, even those in other sessions. The destructor kills all children that did not exist at
/// construction. One per process.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Returns the children of this process that did not exist at construction.
  std::vector<pid_t> living() const;

  /// Kills and reaps living() until it is empty, for at most 5 s.
  void end() const;

 private:
  std::vector<pid_t> before_;  ///< children of this process at construction
};

/// Detects processes that a call, such as a plugin's method, starts and leaves running. Construct it before the call
/// and destroy it after the call on the same thread. Costs one system call in the constructor and one in left() while
/// this process has no children; otherwise each reads /proc.
class ProcessWatch {
 public:
  ProcessWatch();
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Returns the processes that the call left: children of this process that did not exist at construction. Empty while
  /// another thread has a ProcessWatch, because a new child could belong to either thread.
  std::vector<pid_t> left() const;

  /// True if the call forked and returned in the child, so that the current process is a copy of the one that
  /// constructed this object.
  bool in_copy() const;

 private:
  const pid_t process_;        ///< process that constructed this object
  std::vector<pid_t> before_;  ///< its children at construction
};

}  // namespace compeer
