// The part of the preloaded library that lets one chosen call fail that reads, maps or closes a file, or opens it for
// reading. README.md describes the variables.
#include "read_faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct ReadPlan {
  std::vector<std::string> folders;
  std::string trace;
  long count = 0;
  int error = EIO;
  std::atomic<long> seen{0};

  ReadPlan() {
    const auto get = [](const char* name) { return std::string(::getenv(name) ? ::getenv(name) : ""); };
    std::istringstream list(get("FAULT_READS"));
    for (std::string one; std::getline(list, one, ':');) folders.push_back(one + "/");
    trace = get("FAULT_TRACE");
    count = std::atol(get("FAULT_READ").c_str());
    const std::map<std::string, int> errors = {{"estale", ESTALE}, {"emfile", EMFILE}, {"enomem", ENOMEM}};
    if (const auto known = errors.find(get("FAULT_WHAT")); known != errors.end()) error = known->second;
  }
};

ReadPlan& plan() {
  static ReadPlan* const one = new ReadPlan;  // never destroyed, because files are closed after main has ended
  return *one;
}

std::string link_text(const std::string& link) {
  char path[PATH_MAX] = {};
  return ::readlink(link.c_str(), path, sizeof path - 1) < 0 ? "" : path;
}

void trace(const std::string& line) {
  const auto& file = plan().trace;
  const long out = ::syscall(SYS_openat, AT_FDCWD, file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file.empty() || out < 0) return;
  ::syscall(SYS_write, out, line.data(), line.size());
  ::syscall(SYS_close, out);
}

bool fails(const std::string& call, const std::string& path) {
  const int error = errno;
  ReadPlan& p = plan();
  const auto holds = [&](const std::string& folder) { return path.starts_with(folder); };
  if (std::none_of(p.folders.begin(), p.folders.end(), holds)) {
    errno = error;
    return false;
  }
  const bool now = ++p.seen == p.count;
  trace((now ? "fault " : "reading ") + call + " " + path + "\n");
  errno = now ? p.error : error;
  return now;
}

}  // namespace

bool read_fails(const char* call, int folder, const char* path) {
  if (plan().folders.empty() || !path) return false;
  if (path[0] == '/') return fails(call, path);
  const auto base = link_text(folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder));
  return fails(call, base + "/" + path);
}

bool read_fails(const char* call, int descriptor) {
  if (plan().folders.empty() || descriptor <= 2) return false;
  return fails(call, link_text("/proc/self/fd/" + std::to_string(descriptor)));
}

#define REAL(name) static auto* const real = reinterpret_cast<decltype(&::name)>(::dlsym(RTLD_NEXT, #name))

#define OPENAT(name)                                                              \
  int name(int folder, const char* path, int flags, ...) {                        \
    REAL(name);                                                                   \
    va_list more;                                                                 \
    va_start(more, flags);                                                        \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                                 \
    if (!(flags & O_CREAT) && read_fails("open", folder, path)) return -1;        \
    return real(folder, path, flags, mode);                                       \
  }
#define PREAD(name)                                                         \
  ssize_t name(int from, void* bytes, size_t size, off_t offset) {          \
    REAL(name);                                                             \
    return read_fails("read", from) ? -1 : real(from, bytes, size, offset); \
  }
#define READDIR(name, entry)                                             \
  entry* name(DIR* folder) {                                             \
    REAL(name);                                                          \
    return read_fails("read", ::dirfd(folder)) ? nullptr : real(folder); \
  }
// If the disk of a mapped file fails, access raises SIGBUS, as for a file shorter than its mapping. So an empty file
// with the same name is mapped instead.
#define MMAP(name)                                                                                                 \
  void* name(void* start, size_t size, int protection, int flags, int file, off_t offset) noexcept {               \
    REAL(name);                                                                                                    \
    if (!read_fails("mmap", file)) return real(start, size, protection, flags, file, offset);                      \
    const std::string name = link_text("/proc/self/fd/" + std::to_string(file));                                   \
    const auto empty = static_cast<int>(::syscall(SYS_memfd_create, name.substr(name.rfind('/') + 1).c_str(), 0)); \
    void* const mapped = real(start, size, protection, flags, empty, 0);                                           \
    ::syscall(SYS_close, empty);                                                                                   \
    return mapped;                                                                                                 \
  }

extern "C" {

OPENAT(openat)
OPENAT(openat64)
PREAD(pread)
PREAD(pread64)
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)
MMAP(mmap)
MMAP(mmap64)

ssize_t read(int from, void* bytes, size_t size) {
  REAL(read);
  return read_fails("read", from) ? -1 : real(from, bytes, size);
}
ssize_t readv(int from, const iovec* parts, int count) {
  REAL(readv);
  return read_fails("read", from) ? -1 : real(from, parts, count);
}
int close(int file) {
  REAL(close);
  const bool failed = read_fails("close", file);
  const int error = errno, closed = real(file);
  if (failed) errno = error;
  return failed ? -1 : closed;
}

}  // extern "C"
