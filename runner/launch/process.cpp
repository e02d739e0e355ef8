// Child processes, and signals that ask this program to stop.
#include "launch/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/processes.h"
#include "base/signals.h"

extern char** environ;

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

class OpenDescriptor {
 public:
  explicit OpenDescriptor(int number) : number_(number) {}
  ~OpenDescriptor() { close(); }
  OpenDescriptor(const OpenDescriptor&) = delete;
  OpenDescriptor& operator=(const OpenDescriptor&) = delete;
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Returns this process's environment with these variables added, which replace those of the same name.
std::vector<std::string> with_variables(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** old = environ; *old; ++old) {
    const std::string_view text = *old, name = text.substr(0, text.find('=') + 1);
    const auto same = [&](const std::string& variable) { return variable.starts_with(name); };
    if (std::none_of(variables.begin(), variables.end(), same)) all.emplace_back(text);
  }
  return all;
}

// Runs the program in the child after fork, using only functions that are safe there. If it can't be started, writes
// errno to `report` for the parent.
[[noreturn]] void become(const Process::Setup& setup, char* const* command, char* const* variables, int log, int report,
                         pid_t parent) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, setup.when_orphaned);
  if (::getppid() != parent) ::_exit(1);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  if (setup.keep_open >= 0) ::fcntl(setup.keep_open, F_SETFD, 0);
  ::execvpe(command[0], command, variables);
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

using Clock = std::chrono::steady_clock;

// Starts a program with its output redirected to `out`. Returns its process id, or 0 on failure.
pid_t start(const std::vector<std::string>& command, const std::vector<std::string>& variables, int out) {
  const auto environment = with_variables(variables);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
  posix_spawnattr_t attributes;  // restores the default action of SIGPIPE, which our main ignores
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, command[0].c_str(), &files, &attributes, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : 0;
}

// Appends all output to `text`. Returns false if the deadline passes first.
bool read_all(int in, Clock::time_point deadline, std::string& text) {
  char block[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{in, POLLIN, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return false;
    const ssize_t n = ::read(in, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(block, static_cast<size_t>(n));
  }
}

StopRequests requests;  // global because a signal handler gets no argument

void on_signal(int) { requests.add(); }

}  // namespace

Process::Process(const Setup& setup) {
  const OpenDescriptor log(::open(setup.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (log.number() < 0) {
    throw Error(setup.log.string(), fmt::format("can't be written: {}", std::strerror(errno)), "", Exit::failure);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error("", fmt::format("can't create a pipe: {}", std::strerror(errno)), "", Exit::failure);
  OpenDescriptor from_child(ends[0]), to_parent(ends[1]);
  const auto variables = with_variables(setup.environment);
  const auto command_pointers = pointers(setup.command), variable_pointers = pointers(variables);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw Error("", fmt::format("can't create a process: {}", std::strerror(errno)), "", Exit::failure);
  if (pid_ == 0) become(setup, command_pointers.data(), variable_pointers.data(), log.number(), ends[1], parent);
  to_parent.close();
  int error = 0;
  ssize_t got;
  do got = ::read(from_child.number(), &error, sizeof error);
  while (got < 0 && errno == EINTR);
  if (got != sizeof error) return;  // the pipe was closed by a successful exec
  ::waitpid(pid_, nullptr, 0);
  reaped_ = true;
  throw Error(setup.command[0], fmt::format("can't be started: {}", std::strerror(error)), "", Exit::failure);
}

Process::~Process() {
  if (!reaped_) kill_all();
}

bool Process::running() {
  if (reaped_) return false;
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return true;
  reaped_ = true;
  if (got == pid_) end_ = WIFSIGNALED(status) ? ProcessEnd{0, WTERMSIG(status)} : ProcessEnd{WEXITSTATUS(status), 0};
  return false;
}

bool Process::stopped() const { return !reaped_ && is_stopped(pid_); }

void Process::signal(int number) const {
  if (!reaped_) ::kill(pid_, number);
}

void Process::kill_all() {
  kill_until_none([this] { return processes_in_session(pid_); }, [this] { return !running(); });
}

ProgramOutput run_program(const std::vector<std::string>& command, const std::vector<std::string>& variables,
                          double seconds) {
  ProgramOutput output;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return output;
  const pid_t child = start(command, variables, ends[1]);
  ::close(ends[1]);
  if (child == 0) {
    output.exit = 127;
  } else {
    const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    if (!read_all(ends[0], Clock::now() + limit, output.text)) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    output.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ::close(ends[0]);
  return output;
}

std::string output_or_throw(const std::string& program, const ProgramOutput& done) {
  if (done.exit == 0) return done.text;
  static const std::string mark = "compeer: error: ";
  const auto told = done.text.rfind(mark);
  if (told == std::string::npos)
    throw Error(program, "ended with exit code " + std::to_string(done.exit), done.text, Exit::failure);
  auto text = done.text.substr(told + mark.size());
  text.erase(text.find_last_not_of('\n') + 1);
  throw Error("", text, "", static_cast<Exit>(done.exit));
}

Interrupts::Interrupts() {
  requests.reset();
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);  // keep signals ignored (nohup)
  }
}

Interrupts::~Interrupts() {
  for (size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

int Interrupts::count() const { return requests.count(); }

void Interrupts::check() const {
  if (count() > 0) throw Error("", "stopped on request", "", Exit::preempted);
}

}  // namespace compeer::launch
