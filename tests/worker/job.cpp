#include "job.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>

#include "base/hash.h"
#include "spec/text.h"

namespace compeer::test {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto deadline = std::chrono::seconds(60);

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool lives(const std::filesystem::path& process) {
  const std::string stat = text_of(process / "stat");
  const size_t end = stat.rfind(") ");
  return end != std::string::npos && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
}

bool anyone_carries(const std::string& mark) {
  std::error_code none;
  for (const auto& process : std::filesystem::directory_iterator("/proc", none)) {
    if (process.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    if (text_of(process.path() / "environ").find(mark) != std::string::npos && lives(process.path())) return true;
  }
  return false;
}

pid_t start(std::vector<std::string> words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0644);
  ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = -1;
  if (::posix_spawnp(&pid, arguments[0], &files, nullptr, arguments.data(), environ) != 0) pid = -1;
  ::posix_spawn_file_actions_destroy(&files);
  return pid;
}

// Adds the hash of the spec, as `compeer run` does, unless the file has one.
nlohmann::json signed_as_written(nlohmann::json spec_file) {
  if (spec_file.is_object() && !spec_file.contains("sha256"))
    spec_file["sha256"] = sha256(spec::canonical_json(spec_file["spec"]));
  return spec_file;
}

}  // namespace

Job::Job(const std::string& program, const nlohmann::json& spec_file, int ranks, const std::vector<std::string>& more,
         std::vector<std::string> variables)
    : program_(program), ranks_(ranks), variables_(std::move(variables)) {
  static std::atomic<int> count = 0;
  const std::string name = std::to_string(::getpid()) + "-" + std::to_string(++count) + "-";
  mark_ = "COMPEER_TEST_JOB=" + name;
  folder_ = std::filesystem::temp_directory_path() / ("compeer-job-" + name);
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  if (!spec_file.is_null()) std::ofstream(folder_ / "spec.json") << signed_as_written(spec_file).dump();
  again(more);
}

void Job::again(const std::vector<std::string>& more) {
  std::vector<std::string> words{"env", mark_, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
  words.insert(words.end(), variables_.begin(), variables_.end());
  if (ranks_ > 0) {
    words.insert(words.end(), {MPIRUN, "-q", "-n", std::to_string(ranks_), "--oversubscribe", "--bind-to", "none"});
  }
  words.insert(words.end(), {program_, folder_.string()});
  words.insert(words.end(), more.begin(), more.end());
  pid_ = start(words, folder_ / "log.txt");
}

Job::~Job() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code none;
  std::filesystem::remove_all(folder_, none);
}

int Job::wait() {
  const int watched = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  pollfd end{watched, POLLIN, 0};
  const bool ended = ::poll(&end, 1, std::chrono::milliseconds(deadline).count()) == 1;
  ::close(watched);
  if (!ended) return -1;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool Job::wait_for(const std::string& file) {
  const auto until = Clock::now() + deadline;
  while (text_of(folder_ / file).empty()) {
    if (Clock::now() > until || !lives("/proc/" + std::to_string(pid_))) return false;
    ::sched_yield();
  }
  return true;
}

void Job::signal(int number) const { ::kill(pid_, number); }

std::string Job::output() const { return text_of(folder_ / "log.txt"); }

nlohmann::json Job::error() const {
  const std::string text = text_of(folder_ / "error.json");
  return text.empty() ? nlohmann::json() : nlohmann::json::parse(text);
}

bool Job::nothing_left_behind() const {
  const auto until = Clock::now() + std::chrono::seconds(10);
  while (anyone_carries(mark_)) {
    if (Clock::now() > until) return false;
    ::sched_yield();
  }
  return true;
}

}  // namespace compeer::test
