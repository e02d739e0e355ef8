#pragma once
#include <dlfcn.h>
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "input.h"
#include "record/in_child.h"

/// For targets that read HDF5 files. HDF5 1.10 may crash or hang on damaged files, so compeer reads untrusted ones in a
/// child process (record/in_child.h), and so do these targets. A crash of the child is a finding only if it is in
/// compeer's code, not in HDF5.

namespace compeer::fuzz {

/// Makes coverage of child processes count: moves the whole pages of libFuzzer's coverage counters to memory shared
/// with child processes.
inline void share_counters() {
  const auto page = static_cast<uintptr_t>(::getpagesize());
  // In assembly: C++ declarations would collide with the symbols that the compiler itself emits.
  uintptr_t first = 0, last = 0;
  asm("lea __start___sancov_cntrs(%%rip), %0\n\tlea __stop___sancov_cntrs(%%rip), %1" : "=r"(first), "=r"(last));
  const uintptr_t begin = (first + page - 1) / page * page, end = last / page * page;
  if (begin >= end) return;
  const auto flags = MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED;
  expect(::mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED);
}

inline constexpr int ours = 99, theirs = 98;  // exit codes of a child that crashed in compeer, in HDF5

inline bool in_hdf5(const char* file) { return file && std::strstr(file, "libhdf5"); }

/// Exits with `theirs` if an AddressSanitizer report is about HDF5: one of the two innermost frames is, as the first
/// may be malloc. Otherwise prints the report and exits with `ours`.
inline void on_report(const char* report) {
  for (const char* frame : {" #0 ", " #1 "}) {
    const char* begin = std::strstr(report, frame);
    const char* end = begin ? std::strchr(begin, '\n') : nullptr;
    if (end && in_hdf5(std::string(begin, end).c_str())) ::_exit(theirs);
  }
  std::fputs(report, stderr);
  ::_exit(ours);
}

/// Exits with `ours` for SIGABRT or a signal raised in compeer's code, otherwise with `theirs`.
inline void on_signal(int signal, siginfo_t*, void* context) {
  static Dl_info here{}, self{};
  const auto at = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  ::dladdr(reinterpret_cast<void*>(at), &here);
  ::dladdr(reinterpret_cast<void*>(&on_signal), &self);
  ::_exit(signal == SIGABRT || here.dli_fbase == self.dli_fbase ? ours : theirs);
}

/// Runs `read`, which may refuse its file as damaged, in a child process. A crash in compeer's code is a finding.
template <class Read>
void read_in_child(Read read) {
  const auto work = [&]() -> std::string {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
    __asan_set_error_report_callback(on_report);
    try {
      expect_errors_only({Exit::data}, read);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "thrown: %s\n", error.what());
      ::_exit(ours);
    }
    return "";
  };
  expect(record::in_child(work, 5).problem != "reading it ended with code " + std::to_string(ours));
}

/// Implements a target: writes the input to `file` in a folder and runs `ask(folder)` in a child process.
template <class Ask>
int ask_in_child(const char* file, std::string_view bytes, Ask ask) {
  static const Folder folder;
  folder.write(file, bytes);
  read_in_child([&] { ask(folder.path()); });
  return 0;
}

}  // namespace compeer::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  compeer::fuzz::share_counters();
  return 0;
}

/// Exit code of UndefinedBehaviorSanitizer, which checks compeer's code only: `ours`.
extern "C" const char* __asan_default_options() { return "exitcode=99"; }
