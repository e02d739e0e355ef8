#pragma once
#include <signal.h>
#include <sys/types.h>

#include <array>
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

/// What a program said when it was asked something.
struct ProgramOutput {
  int exit = -1;     ///< its exit code; 128 + the signal that ended it; 127 if it could not be started
  std::string text;  ///< standard output and standard error
};

/// Runs a program (looked up in PATH unless it has a slash) without standard input, with `variables` ("NAME=value")
/// added to the environment, and waits for it. One that takes longer than `seconds` is killed.
ProgramOutput ask_program(const std::vector<std::string>& command, const std::vector<std::string>& variables = {},
                          double seconds = 20);

/// What it said, if it ended well. Else throws Error: its own, if it is one of compeer's programs and told one.
std::string said_by(const std::string& program, const ProgramOutput& done);

/// While it lives, SIGINT, SIGTERM, SIGHUP and what batch systems send, SIGUSR1 and SIGUSR2, are counted
/// (base/signals.h) instead of ending this process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int count() const;
  /// Throws Error (exit 85) if a signal came.
  void check() const;

 private:
  static constexpr std::array<int, 5> signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, signals.size()> before_;
};

}  // namespace compeer::launch
