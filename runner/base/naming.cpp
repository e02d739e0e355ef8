// Nothing here may allocate or take a lock of ours: the process has crashed, or hangs, and other programs are asked.
#include "base/naming.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

namespace compeer {

namespace {

constexpr off_t large = 100 << 20;  // bytes of a library through which addr2line takes its time

char line_finder[256], name_reader[256];  // addr2line and c++filt; "" where they are not installed

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

// The first line that a program says within `patience` milliseconds; else `answer` is left as it was.
void ask(const char* const* words, int patience, char (&answer)[512]) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t child = ::vfork();  // NOLINT: a fork would copy the tables of all memory, and run handlers of libraries
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

// "f(int) at ??:0", "f(int) at :?" -> "f(int)"; "f(int) at a.cpp:?" -> "f(int) at a.cpp"
void cut_unknown(char* answer) {
  for (const char* unknown : {" at ??:", " at :?", ":?"}) {
    if (char* found = std::strstr(answer, unknown)) *found = 0;
  }
}

bool is_large(const char* file) {
  struct stat about = {};
  return ::stat(file, &about) != 0 || about.st_size > large;
}

}  // namespace

void find_namers() {
  find("addr2line", line_finder);
  find("c++filt", name_reader);
}

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

}  // namespace compeer
