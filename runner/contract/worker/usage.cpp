#include "contract/worker/usage.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "spec/text.h"

namespace compeer::contract {

namespace {

namespace fs = std::filesystem;

int64_t entries(const char* folder) {
  std::error_code code;
  return std::distance(fs::directory_iterator(folder, code), fs::directory_iterator());
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// Less than a byte a call is no leak; the resident part comes in pages, and not only from the plugin.
bool leaks(int64_t first, int64_t second, int64_t calls) { return first >= calls / 2 && second >= calls / 2; }
constexpr int64_t noticed = 1 << 20;

std::string led_to(int descriptor) {
  std::error_code code;
  const auto link = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), code);
  return code ? "" : link.string();
}

// AddressSanitizer keeps freed memory for a while.
#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_tells = false;
#else
constexpr bool memory_tells = true;
#endif

}  // namespace

Usage usage() {
  ::malloc_trim(0);
  const struct mallinfo2 heap = ::mallinfo2();
  return {static_cast<int64_t>(heap.uordblks + heap.hblkhd), resident_bytes(), entries("/proc/self/fd"),
          entries("/proc/self/task")};
}

std::vector<std::string> grown(const Usage& before, const Usage& middle, const Usage& after, int64_t calls) {
  std::vector<std::string> all;
  const auto twice = [&](int64_t Usage::*what) { return middle.*what > before.*what && after.*what > middle.*what; };
  const auto heap = after.heap - before.heap, resident = after.resident - before.resident;
  if (memory_tells && leaks(middle.heap - before.heap, after.heap - middle.heap, calls)) {
    all.push_back(
        fmt::format("kept {} bytes, {:.0f} a call", heap, static_cast<double>(heap) / static_cast<double>(calls)));
  } else if (memory_tells && twice(&Usage::resident) && resident > 4 * noticed &&
             after.resident - middle.resident > noticed) {
    all.push_back(fmt::format("took {:.0f} MB more memory", static_cast<double>(resident) / 1e6));
  }
  if (twice(&Usage::files)) all.push_back(fmt::format("left {} more files open", after.files - before.files));
  if (twice(&Usage::threads))
    all.push_back(fmt::format("left {} more threads running", after.threads - before.threads));
  return all;
}

Streams::Streams() {
  std::fflush(stdout);
  written_ = ::memfd_create("standard output", MFD_CLOEXEC);
  ::dup2(written_, STDOUT_FILENO);
  for (int descriptor = 0; descriptor < 3; ++descriptor) before_.push_back(led_to(descriptor));
}

Streams::~Streams() { ::close(written_); }

std::vector<std::string> Streams::touched() const {
  std::vector<std::string> all;
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    const auto now = led_to(descriptor);
    if (now != before_[static_cast<size_t>(descriptor)])
      all.push_back(
          fmt::format("{} descriptor {}", now.empty() ? "closed" : "put something else in the place of", descriptor));
  }
  std::cout.flush();
  std::fflush(stdout);
  struct stat status = {};
  ::fstat(written_, &status);
  if (status.st_size == 0) return all;
  std::string begin(static_cast<size_t>(std::min<off_t>(status.st_size, 60)), '\0');
  begin.resize(static_cast<size_t>(std::max<ssize_t>(0, ::pread(written_, begin.data(), begin.size(), 0))));
  all.push_back(fmt::format("wrote {} bytes to standard output: {}", status.st_size, spec::printable(begin)));
  return all;
}

}  // namespace compeer::contract
