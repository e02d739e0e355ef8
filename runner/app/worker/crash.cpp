#include "app/worker/crash.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace compeer::app {

namespace {

void (*told)(int signal) = nullptr;  // handlers are handed nothing
std::atomic<bool> crashing{false};
alignas(16) std::array<char, 65536> other_stack;  // a handler needs room when the stack itself has overflown

void on_crash(int signal, siginfo_t*, void*) {
  if (crashing.exchange(true)) {
    for (;;) ::pause();  // another thread is telling the story
  }
  told(signal);
  die_of(signal);
}

}  // namespace

void show_stack(int file) {
  std::array<void*, 64> frames;
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), frames.size()), file);
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

}  // namespace compeer::app
