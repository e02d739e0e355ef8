#include "launch/interrupts.h"

#include <atomic>

namespace compeer::launch {

namespace {

std::atomic<int> counted{0};  // all that a signal handler can reach
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int) { counted.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

Interrupts::Interrupts() {
  counted = 0;
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

int Interrupts::count() const { return counted.load(std::memory_order_relaxed); }

}  // namespace compeer::launch
