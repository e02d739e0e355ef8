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

/// Targets that read HDF5 files. HDF5 1.10 itself may crash or never end on damaged files, which is why the front end
/// reads those of strangers in a child process (app/log/in_child.h). So does a target: that the child dies of HDF5 is
/// what is promised to be survived, and no finding; that it dies of us is one.

namespace compeer::fuzz {

/// Lets what a child reaches count: whole pages of the counters by which libFuzzer sees what an input reached become
/// memory that is shared with it.
inline void share_counters() {
  const auto page = static_cast<uintptr_t>(::getpagesize());
  // By name in C++ the compiler would take them for its own, and lose them.
  uintptr_t first = 0, last = 0;
  asm("lea __start___sancov_cntrs(%%rip), %0\n\tlea __stop___sancov_cntrs(%%rip), %1" : "=r"(first), "=r"(last));
  const uintptr_t begin = (first + page - 1) / page * page, end = last / page * page;
  if (begin >= end) return;
  const auto flags = MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED;
  expect(::mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED);
}

inline constexpr int ours = 99, theirs = 98;  // exit codes of a child that died

inline bool in_hdf5(const char* file) { return file && std::strstr(file, "libhdf5"); }

/// A report of AddressSanitizer: whose is it? HDF5's if one of the two innermost frames is, for one may be malloc's.
inline void on_report(const char* report) {
  for (const char* frame : {" #0 ", " #1 "}) {
    const char* begin = std::strstr(report, frame);
    const char* end = begin ? std::strchr(begin, '\n') : nullptr;
    if (end && in_hdf5(std::string(begin, end).c_str())) ::_exit(theirs);
  }
  std::fputs(report, stderr);
  ::_exit(ours);
}

/// A signal that kills: raised by us?
inline void on_signal(int signal, siginfo_t*, void* context) {
  static Dl_info here{}, self{};
  const auto at = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  ::dladdr(reinterpret_cast<void*>(at), &here);
  ::dladdr(reinterpret_cast<void*>(&on_signal), &self);
  ::_exit(signal == SIGABRT || here.dli_fbase == self.dli_fbase ? ours : theirs);
}

/// Runs `read` on a file that is there already; it may refuse it as damaged data.
template <class Read>
void read_in_child(Read read) {
  const auto work = [&]() -> std::string {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
    __asan_set_error_report_callback(on_report);
    try {
      may_refuse({Exit::data}, read);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "thrown: %s\n", error.what());
      ::_exit(ours);
    }
    return "";
  };
  expect(record::in_child(work, 5).problem != "reading it ended with code " + std::to_string(ours));
}

/// A target: writes the input to this file of a folder, and lets a child ask the folder.
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

/// For UndefinedBehaviorSanitizer, which sees our code alone.
extern "C" const char* __asan_default_options() { return "exitcode=99"; }
