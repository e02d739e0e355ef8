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
  int exit = 0;    ///< exit code; 0 if a signal ended the process
  int signal = 0;  ///< signal that ended the process, or 0
};

/// A child process in a new session, to which all processes that it starts belong. The session keeps the terminal's
/// Ctrl-C away from them, and makes them findable, also if their parents have ended. Used for the processes of runs.
class Process {
 public:
  /// How to start the process.
  struct Setup {
    std::vector<std::string> command;      ///< program and arguments; searched in PATH unless it contains a slash
    std::vector<std::string> environment;  ///< "NAME=value", added to the environment of this process
    std::filesystem::path log;             ///< file to which standard output and standard error are appended
    int keep_open = -1;                    ///< file descriptor that the child inherits; -1: none
    int when_orphaned = 9;                 ///< signal that the child gets if this process dies; 9: SIGKILL
  };

  /// Starts the program. Throws Error (exit code 1: other failure) if it can't be started or `log` can't be written.
  explicit Process(const Setup& setup);
  /// Kills all processes of the session unless running() has returned false.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Returns false if the program has ended; `end` is valid from then on.
  bool running();
  const ProcessEnd& end() const { return end_; }  ///< how the program ended
  bool stopped() const;                           ///< true if the program is suspended, by SIGSTOP or a debugger
  pid_t id() const { return pid_; }               ///< process id of the program, and id of its session

  void signal(int number) const;  ///< sends a signal to the program only, not to the processes that it has started
  void kill_all();                ///< sends SIGKILL to all processes of the session until none is left

 private:
  pid_t pid_ = -1;
  bool reaped_ = false;  // the program has ended, and `end_` is valid
  ProcessEnd end_;
};

/// Exit code and output of a program that was run by `run_program`.
struct ProgramOutput {
  int exit = -1;     ///< exit code, or 128 + signal; 127: could not be started; -1: no pipe could be created
  std::string text;  ///< standard output and standard error
};

/// Runs a program (searched in PATH unless it contains a slash) without standard input, with `variables` ("NAME=value")
/// added to the environment, and waits for it. Kills it after `seconds`. Does not throw.
ProgramOutput run_program(const std::vector<std::string>& command, const std::vector<std::string>& variables = {},
                          double seconds = 20);

/// Returns the output of a program that exited with 0. For any other exit code it throws an Error: the last message
/// "compeer: error: ..." in the output, with the program's exit code, or, if the output has none, an Error with exit
/// code 1 and all of the output as help. `program`: its name for the message.
std::string output_or_throw(const std::string& program, const ProgramOutput& done);

/// During the lifetime of this object, signals to stop are counted instead of ending this process: SIGINT, SIGTERM,
/// SIGHUP, and those of batch systems, SIGUSR1 and SIGUSR2. Signals that were ignored before stay ignored. At most one
/// object may exist.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Returns the number of requests to stop since construction; signals in quick succession are one request.
  int count() const;
  /// Throws Error (exit code 85: stopped by a signal) if a signal has arrived.
  void check() const;

 private:
  static constexpr std::array<int, 5> signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, signals.size()> before_;  // the previous handler of each signal
};

}  // namespace compeer::launch
