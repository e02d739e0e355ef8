// Crash handler: prints a call stack with function names from a process whose memory may be corrupt. All code that runs
// in the handler uses fixed buffers and does not allocate.
#include "base/crash.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "base/signals.h"

namespace compeer {

namespace {

// The readable form of a code address: `place` is the library and the offset in it, "/x/rewards/a.so+0x1a2b",
// `function` is "score(Group const&) at a.cpp:12", or the part of it that is known, or "". Both are zero-terminated.
struct SymbolName {
  char place[512], function[512];
};

constexpr off_t large = 100 << 20;  // size in bytes above which addr2line takes too long for a library

char line_finder[256], name_reader[256];  // paths of addr2line and c++filt; empty if not installed

void find(const char* name, char (&program)[256]) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + name;
    if (file.size() >= sizeof program || ::access(file.c_str(), X_OK) != 0) continue;
    std::memcpy(program, file.c_str(), file.size() + 1);
    return;
  }
}

void copy(const char* from, char (&to)[512]) {
  size_t n = 0;
  for (; from[n] && n + 1 < sizeof to; ++n) to[n] = from[n];
  to[n] = 0;
}

char* put_hex(char* to, uintptr_t number) {
  char digits[16];
  size_t n = 0;
  do digits[n++] = "0123456789abcdef"[number % 16];
  while ((number /= 16) > 0);
  *to++ = '0', *to++ = 'x';
  while (n > 0) *to++ = digits[--n];
  *to = 0;
  return to;
}

// Runs the program words[0] with arguments `words` and stores the first line of its output in `answer`. Leaves `answer`
// unchanged if no complete line arrives; waits at most `patience` milliseconds for each read.
void ask(const char* const* words, int patience, char (&answer)[512]) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t child = ::vfork();  // NOLINT: fork would copy the page tables and run pthread_atfork handlers
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    ::execv(words[0], const_cast<char* const*>(words));
    ::_exit(127);
  }
  ::close(ends[1]);
  char text[512];
  size_t size = 0;
  pollfd more{ends[0], POLLIN, 0};
  while (child > 0 && size + 1 < sizeof text && ::poll(&more, 1, patience) > 0) {
    const ssize_t n = ::read(ends[0], text + size, sizeof text - 1 - size);
    if (n <= 0) break;
    size += static_cast<size_t>(n);
  }
  ::close(ends[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  text[size] = 0;
  if (char* end = std::strchr(text, '\n')) *end = 0, copy(text, answer);
}

// Removes unknown locations: "f(int) at ??:0", "f(int) at :?" -> "f(int)"; "f(int) at a.cpp:?" -> "f(int) at a.cpp".
void cut_unknown(char* answer) {
  for (const char* unknown : {" at ??:", " at :?", ":?"}) {
    if (char* found = std::strstr(answer, unknown)) *found = 0;
  }
}

bool is_large(const char* file) {
  struct stat about = {};
  return ::stat(file, &about) != 0 || about.st_size > large;
}

// Finds addr2line and c++filt on $PATH in advance, because a signal handler can't.
void find_namers() {
  find("addr2line", line_finder);
  find("c++filt", name_reader);
}

// Fills in `named` for a code address of this process. `after_call`: the address is a return address, so the line
// looked up is that of the call before it. `patience`: time limit in milliseconds for each helper program.
void name_address(void* address, bool after_call, int patience, SymbolName& named) {
  named.place[0] = named.function[0] = 0;
  Dl_info known = {};
  const bool found = ::dladdr(address, &known) != 0 && known.dli_fname;
  const auto offset = reinterpret_cast<uintptr_t>(address) - (found ? reinterpret_cast<uintptr_t>(known.dli_fbase) : 0);
  if (found) copy(known.dli_fname, named.place);
  size_t size = std::strlen(named.place);
  if (size > sizeof named.place - 24) size = sizeof named.place - 24;
  if (found) named.place[size++] = '+';
  put_hex(named.place + size, offset);
  if (!found) return;
  if (known.dli_sname) copy(known.dli_sname, named.function);

  if (line_finder[0] && !is_large(known.dli_fname)) {
    char number[24];
    put_hex(number, after_call ? offset - 1 : offset);
    const char* const words[] = {line_finder, "-Cfpe", known.dli_fname, number, nullptr};
    char answer[512] = {};
    ask(words, patience, answer);
    cut_unknown(answer);
    if (answer[0] && answer[0] != '?') return copy(answer, named.function);
  }
  if (name_reader[0] && known.dli_sname && std::strncmp(known.dli_sname, "_Z", 2) == 0) {
    const char* const words[] = {name_reader, known.dli_sname, nullptr};
    ask(words, patience, named.function);
  }
}

// State of the handler. Global, because a signal handler has no other arguments.
void (*told)(int signal) = nullptr;  // the `report` of install_crash_handler()
std::atomic<bool> crashing{false};
void* crashed_at = nullptr;                       // address of the crashing instruction
void* accessed = nullptr;                         // memory address that it accessed
alignas(16) std::array<char, 65536> other_stack;  // alternate signal stack, for when the thread's own has overflowed

// Returns the instruction pointer of a signal's context; null on architectures other than x86-64.
void* place_in([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  return nullptr;
#endif
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (crashing.exchange(true)) {
    for (;;) ::pause();  // another thread is already reporting its crash and will end the process
  }
  crashed_at = place_in(context);
  accessed = info->si_addr;
  told(signal);
  exit_by_signal(signal);
}

constexpr int most_frames = 40;
constexpr int64_t patience = 5000;  // time limit in milliseconds for the lookup of all names

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
  int first = 0;  // frames before it belong to the signal handler
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

void exit_by_signal(int signal) {
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

void install_crash_handler(void (*report)(int signal)) {
  told = report;
  find_namers();
  stack_t stack = {};
  stack.ss_sp = other_stack.data();
  stack.ss_size = other_stack.size();
  ::sigaltstack(&stack, nullptr);
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // the first call loads libgcc, which is not allowed in a handler
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

}  // namespace compeer
