#include "lua/limits.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

namespace compeer::lua {

namespace {

double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Budget::Budget(const Limits& limits)
    : limits_(limits),
      started_(clock_seconds(CLOCK_THREAD_CPUTIME_ID)),
      looked_(clock_seconds(CLOCK_MONOTONIC)),
      instructions_text_(fmt::format("more than {} instructions", limits.instructions)),
      seconds_text_(fmt::format("more than {} seconds of computing", limits.seconds)) {}

bool Budget::resize(size_t old_size, size_t new_size) {
  if (new_size > old_size) {
    const bool fits = new_size <= limits_.block && memory_ - old_size + new_size <= limits_.memory;
    // Before it gives up, Lua collects all garbage, and near the limit it may have to do so again and again.
    if (late_ || !fits) return late(), false;
  }
  memory_ = memory_ - old_size + new_size;
  return true;
}

bool Budget::hold(size_t bytes) {
  if (late_ || bytes > limits_.memory - std::min(memory_, limits_.memory)) return late(), false;
  memory_ += bytes;
  return true;
}

bool Budget::late() { return late_ = late_ || clock_seconds(CLOCK_THREAD_CPUTIME_ID) - started_ > limits_.seconds; }

const char* Budget::spend(uint64_t instructions) {
  if (instructions > limits_.instructions - instructions_) return instructions_text_.c_str();
  instructions_ += instructions;
  // Asking for processor time is a system call; the other clock is cheap.
  if (const double now = clock_seconds(CLOCK_MONOTONIC); now - looked_ > 0.02) {
    looked_ = now;
    if (late()) return seconds_text_.c_str();
  }
  return nullptr;
}

void Budget::pause() { paused_at_ = clock_seconds(CLOCK_THREAD_CPUTIME_ID); }
void Budget::resume() { started_ += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - paused_at_; }

std::string Budget::memory_text() const { return fmt::format("more than {} MiB of memory", limits_.memory >> 20); }

}  // namespace compeer::lua
