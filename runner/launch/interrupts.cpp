#include "launch/interrupts.h"

#include "base/error.h"
#include "base/stop_requests.h"

namespace compeer::launch {

namespace {

StopRequests requests;  // global because a signal handler has no argument for it

void on_signal(int) { requests.add(); }

}  // namespace

Interrupts::Interrupts() {
  requests.reset();
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);  // nohup stays nohup
  }
}

Interrupts::~Interrupts() {
  for (size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

int Interrupts::count() const { return requests.count(); }

void Interrupts::check() const {
  if (count() > 0) throw Error("", "stopped, as asked", "", Exit::preempted);
}

}  // namespace compeer::launch
