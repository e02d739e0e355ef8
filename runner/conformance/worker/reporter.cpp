// Writes the report of the checks, also from the handlers of crashes and timeouts.
#include "conformance/worker/reporter.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "base/crash.h"
#include "base/error.h"
#include "base/signals.h"

namespace compeer::conformance {

using nlohmann::json;

namespace {

constexpr int high_number = 512;

// Global, because signal handlers have no other access to it.
struct Watched {
  pid_t process = 0;  // 0: the checks are done
  int report = -1;
  int seconds = 0;
};
Watched watched;

// Ends the process after reporting the cause. A process forked by the plugin ends without a report.
[[noreturn]] void tell_and_end(const char* cause, int number) {
  if (::getpid() == watched.process) {
    SignalText().add("{\"crash\":{\"").add(cause).add("\":").add(number).add("}}\n").write_to(watched.report);
    show_named_stack(watched.report);
  }
  ::_exit(static_cast<int>(Exit::plugin));
}

void on_crash(int signal) { tell_and_end("signal", signal); }
void on_timeout(int) { tell_and_end("seconds", watched.seconds); }
void on_exit_called(int code, void*) {
  if (watched.process != 0) tell_and_end("exit", code & 0xff);
}

}  // namespace

Call::Call(double seconds) {
  watched.seconds = static_cast<int>(std::ceil(seconds));
  itimerval time = {};
  time.it_value.tv_sec = static_cast<time_t>(seconds);
  time.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  ::setitimer(ITIMER_REAL, &time, nullptr);
}

Call::~Call() {
  const itimerval never = {};
  ::setitimer(ITIMER_REAL, &never, nullptr);
}

Reporter::Reporter(int file) : file_(::fcntl(file, F_DUPFD_CLOEXEC, high_number)) {
  if (file_ < 0) {
    file_ = file;
    ::fcntl(file_, F_SETFD, FD_CLOEXEC);
  } else {
    ::close(file);
  }
}

void Reporter::watch(double patience) {
  patience_ = patience;
  watched.process = ::getpid();
  watched.report = file_;
  install_crash_handler(on_crash);
  struct sigaction action = {};
  action.sa_handler = on_timeout;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGALRM, &action, nullptr);
  ::on_exit(on_exit_called, nullptr);
}

Call Reporter::call(const std::string& method, const std::string& input, int factor) {
  write({{"call", {{"check", check_}, {"method", method}, {"input", input}}}});
  return Call(patience_ * factor);
}

void Reporter::finish(bool made) {
  write({{"made", made}});
  watched.process = 0;
}

void Reporter::fail(const std::string& why) {
  write({{"error", why}});
  watched.process = 0;
}

void Reporter::add(CheckVerdict verdict, const std::string& what) {
  write({{"finding", CheckFinding{check_, verdict, what}}});
}

void Reporter::write(const json& line) const {
  const auto text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the front end has ended, or the plugin has closed the file
    done += static_cast<size_t>(n);
  }
}

}  // namespace compeer::conformance
