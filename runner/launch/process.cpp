#include "launch/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/processes.h"

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

// Ours, with those given put in the place of their namesakes.
std::vector<std::string> environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('=') + 1);
    const auto same = [&](const std::string& other) { return other.compare(0, name.size(), name) == 0; };
    if (std::none_of(added.begin(), added.end(), same)) all.push_back(text);
  }
  return all;
}

// In the child, after fork: only what is safe there. An error number goes to the parent.
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

}  // namespace

Process::Process(const Setup& setup) {
  const OpenDescriptor log(::open(setup.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (log.number() < 0) {
    throw Error(setup.log.string(), fmt::format("can't be written: {}", std::strerror(errno)), "", Exit::failure);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error("", fmt::format("no pipe: {}", std::strerror(errno)), "", Exit::failure);
  OpenDescriptor from_child(ends[0]), to_parent(ends[1]);
  const auto variables = environment(setup.environment);
  const auto command_pointers = pointers(setup.command), variable_pointers = pointers(variables);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw Error("", fmt::format("no process: {}", std::strerror(errno)), "", Exit::failure);
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

}  // namespace compeer::launch
