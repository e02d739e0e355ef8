// A library to be preloaded into a worker. It lets one chosen call on one chosen file of a run fail as a full or
// failing disk, a kill or a jumping clock would. README.md describes the variables.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "read_faults.h"

namespace {

constexpr size_t page = 4096;

struct Plan {
  std::string folder, trace, record, call, file, what;
  long count = 0, jump = 0, jump_at = 0;
  int error = ENOSPC;
  std::atomic<long> seen{0}, asked{0};
  std::atomic<bool> full{false};  // and the disk stays full

  Plan() {
    const auto get = [](const char* name) { return std::string(::getenv(name) ? ::getenv(name) : ""); };
    const std::string rank = get("FAULT_RANK"), own = get("OMPI_COMM_WORLD_RANK");
    folder = get("FAULT_FOLDER");
    trace = get("FAULT_TRACE");
    record = get("FAULT_RECORD");
    if (!rank.empty() && rank != (own.empty() ? "0" : own)) return;
    call = get("FAULT_CALL");
    file = get("FAULT_FILE");
    what = get("FAULT_WHAT");
    count = std::atol(get("FAULT_COUNT").c_str());
    jump = std::atol(get("FAULT_CLOCK").c_str());
    jump_at = std::atol(get("FAULT_CLOCK_COUNT").c_str());
    error = what == "eio" ? EIO : what == "eintr" ? EINTR : what == "eacces" ? EACCES : ENOSPC;
  }
};

Plan& plan() {
  static Plan* const one = new Plan;  // never destroyed, because files are closed after main has ended
  return *one;
}

// Appends an entry to FAULT_RECORD, in the form that power.cpp reads.
void record(char kind, const std::string& path, const std::string& other, uint64_t offset, std::string_view data) {
  Plan& p = plan();
  const auto name = [&](const std::string& file) {
    return file.starts_with(p.folder + "/") ? file.substr(p.folder.size() + 1) : "";
  };
  if (p.record.empty() || name(path).empty()) return;
  std::string entry = std::string(1, kind) + " " + std::to_string(offset) + " " + std::to_string(name(path).size()) +
                      " " + std::to_string(kind == 'Y' ? other.size() : name(other).size()) + " " +
                      std::to_string(data.size()) + "\n" + name(path) + (kind == 'Y' ? other : name(other));
  entry += data;
  const auto out = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, p.record.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (out < 0) return;
  ::syscall(SYS_write, out, entry.data(), entry.size());
  ::syscall(SYS_close, out);
}

// Returns a file's name within the run's folder, with this process's number replaced by PID; "" for other files.
std::string within(const std::string& path) {
  const auto& folder = plan().folder;
  if (folder.empty() || !path.starts_with(folder + "/")) return "";
  std::string name = path.substr(folder.size() + 1);
  const std::string number = "." + std::to_string(::getpid()) + ".";
  if (const auto at = name.find(number); at != std::string::npos) name.replace(at + 1, number.size() - 2, "PID");
  return name;
}

std::string link_text(const std::string& link) {
  char path[PATH_MAX] = {};
  return ::readlink(link.c_str(), path, sizeof path - 1) < 0 ? "" : path;
}

std::string path_at(int folder, const char* path) {
  if (plan().folder.empty() || !path) return "";
  if (path[0] == '/') return path;
  const auto base = link_text(folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder));
  return base + "/" + path;
}

std::string path_of(int descriptor) {
  return plan().folder.empty() ? "" : link_text("/proc/self/fd/" + std::to_string(descriptor));
}

std::string file_at(int folder, const char* path) { return within(path_at(folder, path)); }
std::string file_of(int descriptor) { return within(path_of(descriptor)); }

// Records the current contents of a file: `size` bytes from `offset`; the whole file if `size` is 0.
void record_contents(const std::string& path, uint64_t offset, size_t size) {
  if (plan().record.empty() || within(path).empty()) return;
  const auto in = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in < 0) return;
  struct stat status {};
  if (size == 0 && ::fstat(in, &status) == 0) size = static_cast<size_t>(status.st_size);
  std::string bytes(size, '\0');
  const auto got = ::syscall(SYS_pread64, in, bytes.data(), bytes.size(), offset);
  ::syscall(SYS_close, in);
  if (got > 0) record('W', path, "", offset, std::string_view(bytes).substr(0, static_cast<size_t>(got)));
}

void trace(const std::string& call, const std::string& file) {
  const char* rank = ::getenv("OMPI_COMM_WORLD_RANK");
  const std::string line = std::string(rank ? rank : "0") + " " + call + " " + file + "\n";
  const long out =
      ::syscall(SYS_openat, AT_FDCWD, plan().trace.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out < 0) return;
  ::syscall(SYS_write, out, line.data(), line.size());
  ::syscall(SYS_close, out);
}

bool takes_space(const std::string& call) {
  return call != "rename" && call != "unlink" && call != "rmdir" && call != "fsync";
}

[[noreturn]] void die() {
  ::syscall(SYS_kill, ::getpid(), SIGKILL);
  for (;;) ::pause();
}

enum class Act { none, fail, shorten, tear, then_die };

Act act(const char* call, const std::string& file) {
  Plan& p = plan();
  if (file.empty()) return Act::none;
  if (!p.trace.empty()) trace(call, file);
  if (p.full && takes_space(call)) return Act::fail;
  if (p.call != call || (p.file != file && p.file != "*") || ++p.seen != p.count) return Act::none;
  if (p.what == "kill") die();
  if (p.what == "after") return Act::then_die;
  if (p.what == "short") return Act::shorten;
  if (p.what == "torn") return Act::tear;
  p.full = p.what == "full";
  return Act::fail;
}

template <class Result, class Work>
Result guarded(const char* call, const std::string& file, Result failed, Work work) {
  const Act now = act(call, file);
  if (now == Act::fail) {
    errno = plan().error;
    return failed;
  }
  const Result result = work();
  if (now == Act::then_die) die();
  return result;
}

// If a process is killed, the system may cut its write short after any page.
template <class Work>
ssize_t guarded_write(const char* call, const std::string& file, size_t size, size_t offset, Work work) {
  const Act now = act(call, file);
  if (now == Act::fail) {
    errno = plan().error;
    return -1;
  }
  if (now == Act::shorten) return work(std::max<size_t>(size / 2, 1));
  if (now == Act::tear) {
    const size_t whole = std::min(page - offset % page, size);
    if (whole < size) work(whole);
    die();
  }
  const ssize_t written = work(size);
  if (now == Act::then_die) die();
  return written;
}

timespec jumped(timespec time) {
  Plan& p = plan();
  if (p.jump != 0 && ++p.asked >= p.jump_at) time.tv_sec += p.jump;
  return time;
}

// Records the `size` bytes that were written before the file's current position.
void record_last(int to, ssize_t size) {
  const auto end = ::lseek(to, 0, SEEK_CUR);
  if (end >= size) record_contents(path_of(to), static_cast<uint64_t>(end - size), static_cast<size_t>(size));
}

// Records a call that returned `result`.
template <class Result>
Result recorded(Result result, char kind, const std::string& path, const std::string& other = "", uint64_t offset = 0) {
  const int error = errno;
  if (result == 0) record(kind, path, other, offset, "");
  errno = error;
  return result;
}

bool writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY && (flags & (O_CREAT | O_TRUNC)); }

}  // namespace

namespace {

// Raises FAULT_SIGNAL while libraries are still being loaded, in workers only, not in their launchers.
[[gnu::constructor]] void signal_early() {
  const char* number = ::getenv("FAULT_SIGNAL");
  if (number && std::string(::program_invocation_short_name).find("worker") != std::string::npos)
    ::raise(std::atoi(number));
}

}  // namespace

#define REAL(name) static auto* const real = reinterpret_cast<decltype(&::name)>(::dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                   \
  int name(const char* path, int flags, ...) {                                                       \
    REAL(name);                                                                                      \
    va_list more;                                                                                    \
    va_start(more, flags);                                                                           \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                    \
    va_end(more);                                                                                    \
    if (!writes(flags) && read_fails("open", AT_FDCWD, path)) return -1;                             \
    const auto file = writes(flags) ? file_at(AT_FDCWD, path) : "";                                  \
    const int got = guarded("open", file, -1, [&] { return real(path, flags, mode); });              \
    if (!file.empty() && got >= 0) recorded(0, flags& O_TRUNC ? 'T' : 'C', path_at(AT_FDCWD, path)); \
    return got;                                                                                      \
  }
#define FOPEN(name)                                                                                         \
  FILE* name(const char* path, const char* mode) {                                                          \
    REAL(name);                                                                                             \
    if (mode[0] == 'r' && read_fails("open", AT_FDCWD, path)) return nullptr;                               \
    const auto file = mode[0] == 'r' ? "" : file_at(AT_FDCWD, path);                                        \
    FILE* const got = guarded("open", file, static_cast<FILE*>(nullptr), [&] { return real(path, mode); }); \
    if (!file.empty() && got) recorded(0, mode[0] == 'w' ? 'T' : 'C', path_at(AT_FDCWD, path));             \
    return got;                                                                                             \
  }
#define PWRITE(name)                                                                               \
  ssize_t name(int to, const void* bytes, size_t size, off_t offset) {                             \
    REAL(name);                                                                                    \
    const auto file = file_of(to);                                                                 \
    const ssize_t got = guarded_write("write", file, size, static_cast<size_t>(offset),            \
                                      [&](size_t part) { return real(to, bytes, part, offset); }); \
    if (got > 0 && !file.empty())                                                                  \
      record_contents(path_of(to), static_cast<uint64_t>(offset), static_cast<size_t>(got));       \
    return got;                                                                                    \
  }
#define FTRUNCATE(name)                                                                                                \
  int name(int file, off_t size) noexcept {                                                                            \
    REAL(name);                                                                                                        \
    return recorded(guarded("ftruncate", file_of(file), -1, [&] { return real(file, size); }), 'Z', path_of(file), "", \
                    static_cast<uint64_t>(size));                                                                      \
  }

extern "C" {

OPEN(open)
OPEN(open64)
FOPEN(fopen)
FOPEN(fopen64)
PWRITE(pwrite)
PWRITE(pwrite64)
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

ssize_t write(int to, const void* bytes, size_t size) {
  REAL(write);
  const auto file = to > 2 ? file_of(to) : "";
  const auto at = file.empty() ? 0 : ::lseek(to, 0, SEEK_CUR);
  const ssize_t got = guarded_write("write", file, size, static_cast<size_t>(std::max<off_t>(at, 0)),
                                    [&](size_t part) { return real(to, bytes, part); });
  if (got > 0 && !file.empty()) record_last(to, got);
  return got;
}
ssize_t writev(int to, const iovec* parts, int count) {
  REAL(writev);
  const auto file = to > 2 ? file_of(to) : "";
  const ssize_t got = guarded("write", file, ssize_t{-1}, [&] { return real(to, parts, count); });
  if (got > 0 && !file.empty()) record_last(to, got);
  return got;
}
ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept {
  REAL(sendfile);
  const auto file = file_of(to);
  const ssize_t got = guarded_write("write", file, size, 0, [&](size_t part) { return real(to, from, offset, part); });
  if (got > 0 && !file.empty()) record_last(to, got);
  return got;
}
// Buffered data of a stream is written here.
int fclose(FILE* stream) {
  REAL(fclose);
  const int file = ::fileno(stream);
  const bool written = file > 2 && (::fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;
  const std::string path = written ? path_of(file) : "";
  const Act now = act("fclose", within(path));
  const bool fails = !written && read_fails("close", file);
  const int closed = real(stream);
  if (fails) return EOF;
  if (closed == 0) record_contents(path, 0, 0);
  if (now == Act::then_die || now == Act::tear) die();
  if (now != Act::fail) return closed;
  errno = plan().error;
  return EOF;
}
int fflush(FILE* stream) {
  REAL(fflush);
  const int flushed = real(stream);
  if (stream && flushed == 0 && ::fileno(stream) > 2) record_contents(path_of(::fileno(stream)), 0, 0);
  return flushed;
}
int fsync(int file) {
  REAL(fsync);
  return recorded(guarded("fsync", file_of(file), -1, [&] { return real(file); }), 'S', path_of(file));
}
int fdatasync(int file) {
  REAL(fdatasync);
  return recorded(guarded("fsync", file_of(file), -1, [&] { return real(file); }), 'S', path_of(file));
}
int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  const auto old = path_at(AT_FDCWD, from);
  return recorded(guarded("rename", within(old), -1, [&] { return real(from, to); }), 'R', old, path_at(AT_FDCWD, to));
}
int link(const char* from, const char* to) noexcept {
  REAL(link);
  return recorded(guarded("link", file_at(AT_FDCWD, to), -1, [&] { return real(from, to); }), 'L',
                  path_at(AT_FDCWD, from), path_at(AT_FDCWD, to));
}
int symlink(const char* target, const char* path) noexcept {
  REAL(symlink);
  return recorded(guarded("symlink", file_at(AT_FDCWD, path), -1, [&] { return real(target, path); }), 'Y',
                  path_at(AT_FDCWD, path), target);
}
int unlink(const char* path) noexcept {
  REAL(unlink);
  return recorded(guarded("unlink", file_at(AT_FDCWD, path), -1, [&] { return real(path); }), 'U',
                  path_at(AT_FDCWD, path));
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  REAL(unlinkat);
  return recorded(guarded("unlink", file_at(folder, path), -1, [&] { return real(folder, path, flags); }), 'U',
                  path_at(folder, path));
}
int remove(const char* path) noexcept {
  REAL(remove);
  return recorded(guarded("unlink", file_at(AT_FDCWD, path), -1, [&] { return real(path); }), 'U',
                  path_at(AT_FDCWD, path));
}
int mkdir(const char* path, mode_t mode) noexcept {
  REAL(mkdir);
  return recorded(guarded("mkdir", file_at(AT_FDCWD, path), -1, [&] { return real(path, mode); }), 'M',
                  path_at(AT_FDCWD, path));
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (failed == 0 && clock == CLOCK_REALTIME) *time = jumped(*time);
  return failed;
}
int gettimeofday(timeval* __restrict time, void* __restrict) noexcept {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t* out) noexcept {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
