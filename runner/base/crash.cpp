#include "base/crash.h"

#include <execinfo.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "base/naming.h"
#include "base/signal_text.h"

namespace compeer {

namespace {

void (*told)(int signal) = nullptr;  // handlers are handed nothing
std::atomic<bool> crashing{false};
void* crashed_at = nullptr;
void* accessed = nullptr;
alignas(16) std::array<char, 65536> other_stack;  // a handler needs room when the stack itself has overflown

void* place_in([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  return nullptr;
#endif
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (crashing.exchange(true)) {
    for (;;) ::pause();  // another thread is telling the story
  }
  crashed_at = place_in(context);
  accessed = info->si_addr;
  told(signal);
  die_of(signal);
}

constexpr int most_frames = 40;
constexpr int64_t patience = 5000;  // milliseconds for all names together

int64_t milliseconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

}  // namespace

const void* crash_address() { return accessed; }

void show_stack(int file) {
  std::array<void*, 64> frames;
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), frames.size()), file);
}

void show_named_stack(int file) {
  std::array<void*, 64> frames;
  const int count = ::backtrace(frames.data(), frames.size());
  int first = 0;  // what comes before is the handler's
  for (int i = 0; crashed_at && i < count; ++i) {
    if (frames[static_cast<size_t>(i)] == crashed_at) first = i;
  }
  const auto start = milliseconds();
  for (int i = first, shown = 0; i < count && shown < most_frames; ++i, ++shown) {
    void* const frame = frames[static_cast<size_t>(i)];
    int times = 1;
    for (; i + 1 < count && frames[static_cast<size_t>(i + 1)] == frame; ++i) ++times;
    const auto left = start + patience - milliseconds();
    SymbolName named;
    name_address(frame, frame != crashed_at, left > 0 ? static_cast<int>(left) : 0, named);
    SignalText line;
    line.add("  ").add(named.place).add(named.function[0] ? "  " : "").add(named.function);
    if (times > 1) line.add("  (").add(times).add(" times)");
    line.add("\n").write_to(file);
  }
}

void die_of(int signal) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  sigset_t just_this;
  ::sigemptyset(&just_this);
  ::sigaddset(&just_this, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &just_this, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

void when_crashing(void (*story)(int signal)) {
  told = story;
  find_namers();
  stack_t stack = {};
  stack.ss_sp = other_stack.data();
  stack.ss_size = other_stack.size();
  ::sigaltstack(&stack, nullptr);
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // the first call loads a library, which no handler may do
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

}  // namespace compeer
