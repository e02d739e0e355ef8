// Runs work in a child process with limits of time and memory.
#include "record/in_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace compeer::record {

namespace {

using Clock = std::chrono::steady_clock;

constexpr rlim_t most_memory = rlim_t{16} << 30;

// AddressSanitizer maps shadow memory for the whole address space, which exceeds any limit.
#ifdef __SANITIZE_ADDRESS__
constexpr bool shadowed = true;
#else
constexpr bool shadowed = false;
#endif

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int out) {
  if (!shadowed) {
    const rlimit memory{most_memory, most_memory};
    ::setrlimit(RLIMIT_DATA, &memory);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  Exit code = Exit::data;
  try {
    write_all(out, work());
    code = Exit::ok;
  } catch (const Error& error) {
    code = error.exit();
    // The caller knows only the run, so the failed file is named here.
    write_all(out, code == Exit::failure ? error.where() + ": " + error.problem() : error.problem());
  } catch (const std::exception& error) {
    write_all(out, error.what());
  }
  ::_exit(static_cast<int>(code));
}

// Reads until the child closes its end of the pipe. Returns false if the deadline is reached first.
bool read_until(int in, Clock::time_point deadline, std::string& text) {
  char block[1 << 16];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{in, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left, 60'000))) <= 0) continue;
    const ssize_t n = ::read(in, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(block, static_cast<size_t>(n));
  }
}

}  // namespace

ChildResult in_child(const std::function<std::string()>& work, double seconds) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("", "can't create a pipe", std::strerror(errno), Exit::failure);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error("", "can't start a process", std::strerror(errno), Exit::failure);
  if (child == 0) be_child(work, ends[1]);
  ::close(ends[1]);
  ChildResult result;
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const bool ended = read_until(ends[0], Clock::now() + limit, result.output);
  ::close(ends[0]);
  if (!ended) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended)
    result.problem = fmt::format("took longer than {} seconds", seconds);
  else if (WIFSIGNALED(status))
    result.problem = fmt::format("reading it crashed ({})", ::strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    result.problem = std::exchange(result.output, ""), result.exit = static_cast<Exit>(WEXITSTATUS(status));
  if (ended && result.problem.empty() && WEXITSTATUS(status) != 0)
    result.problem = fmt::format("reading it ended with code {}", WEXITSTATUS(status));
  return result;
}

void write_from_child(const std::string& where, double seconds, const std::function<void(std::ostream&)>& work,
                      std::ostream& out) {
  using nlohmann::json;
  constexpr char text = '+';  // precedes the output of `work`; an Error is a JSON list instead
  const auto wrote = [&] {
    try {
      std::ostringstream writing;
      writing << text;
      work(writing);
      return writing.str();
    } catch (const Error& error) {
      const json parts = {error.where(), error.problem(), error.help(), error.exit()};
      return parts.dump(-1, ' ', false, json::error_handler_t::replace);
    }
  };
  const ChildResult result = in_child(wrote, seconds);
  if (!result.problem.empty())
    throw Error(where, "can't be read: " + result.problem, "run compeer log verify for details", Exit::data);
  if (result.output.starts_with(text)) {
    out.write(result.output.data() + 1, std::ssize(result.output) - 1);
    return;
  }
  const auto parts = json::parse(result.output);
  throw Error(parts.at(0), parts.at(1), parts.at(2), parts.at(3).get<Exit>());
}

}  // namespace compeer::record
