#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

/// Processes of this host as listed in /proc.
namespace compeer {

/// Return the children of a process, and the processes of a session, without zombies.
std::vector<pid_t> children_of(pid_t parent);
std::vector<pid_t> processes_in_session(pid_t session);

/// True if the process is stopped by a signal such as SIGSTOP, or by a debugger.
bool is_stopped(pid_t process);

/// Returns "process 17 (python3)", or "process 17 (?)" if there is no such process.
std::string process_title(pid_t process);

/// Every 5 ms sends SIGKILL to the processes in list() and calls reaped(), which collects exit statuses. Returns when
/// list() is empty and reaped() is true, or after 5 s. Repeats because processes may start others while they are
/// killed.
void kill_until_none(const std::function<std::vector<pid_t>()>& list, const std::function<bool()>& reaped);

/// While it exists, this process is a subreaper: descendants whose parents have ended become its children, even those
/// in other sessions. The destructor kills all children that did not exist at construction. One per process.
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
  std::vector<pid_t> before_;  // children at construction
};

/// Detects processes that a call leaves running. Construct it before the call and destroy it on the same thread. Costs
/// one system call in the constructor and one in left() while this process has no children; otherwise each reads /proc.
class ProcessWatch {
 public:
  ProcessWatch();
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Returns the children of this process that did not exist before the call. Empty while another thread has a
  /// ProcessWatch, because a new child could belong to either thread.
  std::vector<pid_t> left() const;

  /// True if the call forked and this is the child process.
  bool in_copy() const;

 private:
  const pid_t process_;        // this process at construction
  std::vector<pid_t> before_;  // its children then
};

}  // namespace compeer
