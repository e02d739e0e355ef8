#include "contract/worker/watch.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/crash.h"
#include "base/error.h"
#include "base/signal_text.h"

namespace compeer::contract {

namespace {

using nlohmann::json;

// Handlers are handed nothing, so what they need is kept here, ready to be written.
struct Known {
  pid_t process = 0;
  int report = -1;
  int seconds = 0;
  itimerval patience = {};
  char place[1536] = {};  // the inside of a JSON object
};
Known known;

bool is_copy() { return known.process != 0 && ::getpid() != known.process; }

void tell(const char* cause, int number) {
  SignalText line;
  line.add("{\"crash\":{\"").add(cause).add("\":").add(number).add(",").add(known.place).add("}}\n");
  line.write_to(known.report);
  show_stack(known.report);
}

// How a process of the plugin's own ends is its affair.
[[noreturn]] void tell_and_end(const char* cause, int number) {
  if (!is_copy()) tell(cause, number);
  ::_exit(static_cast<int>(Exit::plugin));
}

void on_crash(int signal) { tell_and_end("signal", signal); }
void on_patience_lost(int) { tell_and_end("seconds", known.seconds); }
void on_exit_called(int code, void*) { tell_and_end("exit", code & 0xff); }

void arm(const itimerval& time) { ::setitimer(ITIMER_REAL, &time, nullptr); }

}  // namespace

void watch_calls(int report, double patience) {
  known.process = ::getpid();
  known.report = report;
  known.seconds = static_cast<int>(std::ceil(patience));
  known.patience.it_value.tv_sec = static_cast<time_t>(patience);
  known.patience.it_value.tv_usec = static_cast<suseconds_t>((patience - std::floor(patience)) * 1e6);
  when_crashing(on_crash);
  struct sigaction action = {};
  action.sa_handler = on_patience_lost;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGALRM, &action, nullptr);
  ::on_exit(on_exit_called, nullptr);
}

void next_call(const std::string& check, const std::string& method, const std::string& input) {
  const json place = {{"check", check}, {"method", method}, {"input", input.substr(0, 300)}};
  const auto text = place.dump(-1, ' ', true, json::error_handler_t::replace);
  const auto inside = text.substr(1, text.size() - 2);
  if (inside.size() < sizeof known.place) std::memcpy(known.place, inside.c_str(), inside.size() + 1);
}

void end_if_copy() {
  if (!is_copy()) return;
  SignalText().add("{\"forked\":true}\n").write_to(known.report);
  ::_exit(0);
}

void patience_begins() { arm(known.patience); }

Call::Call() { patience_begins(); }
Call::~Call() {
  end_if_copy();
  arm({});
}

}  // namespace compeer::contract
