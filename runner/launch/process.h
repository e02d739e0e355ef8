#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace compeer::launch {

/// How a process ended.
struct ProcessEnd {
  int exit = 0;    ///< its exit code, if no signal ended it
  int signal = 0;  ///< the signal that ended it, or 0
};

/// A program and everything it starts, in a session of its own: a terminal's Ctrl-C doesn't reach it, and all of it can
/// be found again, even processes whose parents have gone. Destroyed, it leaves nothing behind.
class Process {
 public:
  struct Setup {
    std::vector<std::string> command;      ///< the program is looked for in PATH unless it has a slash
    std::vector<std::string> environment;  ///< "NAME=value", added to ours
    std::filesystem::path log;             ///< standard output and error are appended here
    int keep_open = -1;                    ///< a file the process inherits
    int when_orphaned = 9;                 ///< the signal it gets if this process dies
  };

  /// Throws Error (exit 1) if the program can't be started.
  explicit Process(const Setup& setup);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// False once it has ended; then `end` is known.
  bool running();
  const ProcessEnd& end() const { return end_; }
  bool stopped() const;  ///< by a signal such as SIGSTOP, or a debugger: it does nothing until it is let go on
  pid_t id() const { return pid_; }

  void signal(int number) const;  ///< to the program alone, which passes it on
  void kill_all();                ///< SIGKILL to whatever lives in the session; returns when it is gone

 private:
  pid_t pid_ = -1;
  bool reaped_ = false;
  ProcessEnd end_;
};

}  // namespace compeer::launch
