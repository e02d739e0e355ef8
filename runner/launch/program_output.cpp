#include "launch/program_output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/error.h"

extern char** environ;

namespace compeer::launch {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all(words.size() + 1);  // ends with a null pointer
  std::transform(words.begin(), words.end(), all.begin(), [](std::string& word) { return word.data(); });
  return all;
}

// Our environment, with these instead of variables of the same name.
std::vector<std::string> with_variables(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** old = environ; *old; ++old) {
    const std::string_view text = *old, name = text.substr(0, text.find('=') + 1);
    const auto same = [&](const std::string& variable) { return variable.starts_with(name); };
    if (std::none_of(variables.begin(), variables.end(), same)) all.emplace_back(text);
  }
  return all;
}

// Starts it with its output going into `out`; 0 if that fails.
pid_t start(std::vector<std::string> command, const std::vector<std::string>& variables, int out) {
  std::vector<std::string> environment = with_variables(variables);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
  posix_spawnattr_t attributes;  // SIGPIPE, which our main ignores, works as usual
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, command[0].c_str(), &files, &attributes, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : 0;
}

// Reads until the end; false if time ran out before.
bool read_all(int in, Clock::time_point deadline, std::string& text) {
  char block[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{in, POLLIN, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return false;
    const ssize_t n = ::read(in, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(block, static_cast<size_t>(n));
  }
}

}  // namespace

ProgramOutput ask_program(const std::vector<std::string>& command, const std::vector<std::string>& variables,
                          double seconds) {
  ProgramOutput output;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return output;
  const pid_t child = start(command, variables, ends[1]);
  ::close(ends[1]);
  if (child == 0) {
    output.exit = 127;
  } else {
    const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    if (!read_all(ends[0], Clock::now() + limit, output.text)) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    output.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ::close(ends[0]);
  return output;
}

std::string said_by(const std::string& program, const ProgramOutput& done) {
  if (done.exit == 0) return done.text;
  static const std::string mark = "compeer: error: ";
  const auto told = done.text.rfind(mark);
  if (told == std::string::npos)
    throw Error(program, "ended with exit code " + std::to_string(done.exit), done.text, Exit::failure);
  auto text = done.text.substr(told + mark.size());
  text.erase(text.find_last_not_of('\n') + 1);
  throw Error("", text, "", static_cast<Exit>(done.exit));
}

}  // namespace compeer::launch
