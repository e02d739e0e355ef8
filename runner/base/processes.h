#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

/// Processes of this host as /proc lists them. Those that have ended but were not waited for are left out.
namespace compeer {

std::vector<pid_t> children_of(pid_t parent);
std::vector<pid_t> processes_in_session(pid_t session);

/// True if it is stopped by a signal such as SIGSTOP, or by a debugger.
bool is_stopped(pid_t process);

/// "process 17 (python3)"
std::string process_title(pid_t process);

/// Sends SIGKILL to all that `list` returns until it returns none and `reaped` returns true, at most for five seconds:
/// processes may start others while they are killed.
void kill_until_none(const std::function<std::vector<pid_t>()>& list, const std::function<bool()>& reaped);

/// While it lives, descendants whose parents have ended become children of this process, even those in other sessions.
/// The destructor kills them. Children that this process had before are left alone.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// Children of this process that were not there before.
  std::vector<pid_t> living() const;

  /// Kills them and whatever they leave.
  void end() const;

 private:
  std::vector<pid_t> before_;
};

/// What a call leaves running. Made before the call; costs a system call as long as the process has no children.
class ProcessWatch {
 public:
  ProcessWatch();
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Children of this process that were not there before the call. None while other threads have a watch: the child
  /// may be theirs.
  std::vector<pid_t> left() const;

  /// True in a child process that the call forked and in which it returned, too.
  bool in_copy() const;

 private:
  const pid_t process_;
  std::vector<pid_t> before_;
};

}  // namespace compeer
