// Compares the shared state of the process before and after the checks.
#include "conformance/worker/process_state.h"

#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "spec/text.h"

namespace compeer::conformance {

namespace {

namespace fs = std::filesystem;

std::string mask() {
  const mode_t mask = ::umask(0);  // can only be read by setting it
  ::umask(mask);
  return std::to_string(mask);
}

std::string environment() {
  std::string all;
  for (char** entry = environ; entry && *entry; ++entry) all += std::string(*entry) + "\n";
  return all;
}

std::string limits() {
  std::string all;
  for (int which = 0; which < static_cast<int>(RLIM_NLIMITS); ++which) {
    rlimit limit = {};
    ::getrlimit(static_cast<__rlimit_resource_t>(which), &limit);
    all += fmt::format("{} {} ", limit.rlim_cur, limit.rlim_max);
  }
  return all;
}

std::string signal_handlers() {
  std::string all;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    all += fmt::format("{} {} ", reinterpret_cast<uintptr_t>(action.sa_handler), action.sa_flags);
  }
  return all;
}

std::string file_of(int descriptor) {
  std::error_code code;
  const auto link = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), code);
  return code ? "" : link.string();
}

std::map<std::string, std::string> current() {
  return {{"the umask", mask()},
          {"the environment", environment()},
          {"the process limits", limits()},
          {"signal handlers", signal_handlers()},
          {"standard input (descriptor 0)", file_of(0)},
          {"standard output (descriptor 1)", file_of(1)},
          {"standard error (descriptor 2)", file_of(2)}};
}

int64_t open_files() { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); }
int64_t running_threads() { return std::distance(fs::directory_iterator("/proc/self/task"), {}); }

}  // namespace

ProcessState::ProcessState() {
  std::fflush(stdout);
  output_ = ::memfd_create("standard output", MFD_CLOEXEC);
  ::dup2(output_, STDOUT_FILENO);
  files_ = open_files();
  threads_ = running_threads();
  before_ = current();
}

ProcessState::~ProcessState() { ::close(output_); }

std::vector<std::string> ProcessState::changes() const {
  std::vector<std::string> all;
  for (const auto& [what, now] : current()) {
    if (before_.at(what) != now) all.push_back("it leaves " + what + " changed");
  }
  constexpr int64_t more = 20;
  const auto files = open_files() - files_, threads = running_threads() - threads_;
  if (files >= more) all.push_back(fmt::format("it leaves {} files open", files));
  if (threads >= more) all.push_back(fmt::format("it leaves {} threads running", threads));
  std::cout.flush();
  std::fflush(stdout);
  struct stat status = {};
  ::fstat(output_, &status);
  if (status.st_size == 0) return all;
  char begin[60];
  const auto size = std::max<ssize_t>(0, ::pread(output_, begin, sizeof begin, 0));
  all.push_back(fmt::format("it wrote {} bytes to standard output: {}", status.st_size,
                            spec::printable({begin, static_cast<size_t>(size)})));
  return all;
}

int64_t heap_bytes() {
  ::malloc_trim(0);
  const auto heap = ::mallinfo2();
  return static_cast<int64_t>(heap.uordblks + heap.hblkhd);
}

}  // namespace compeer::conformance
