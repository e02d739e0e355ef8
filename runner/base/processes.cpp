// Finds processes in /proc, and ends those that outlive the code that started them.
#include "base/processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

namespace compeer {

namespace fs = std::filesystem;

namespace {

// Fields of /proc/PID/stat. Keeps the defaults if the process has ended or is a zombie.
struct Kin {
  long parent = -1, session = -1;
  char state = 0;
};

Kin kin_of(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text);
  const size_t bracket = text.rfind(')');  // the name in parentheses may contain any character
  long group = 0;
  Kin kin;
  if (bracket == std::string::npos ||
      std::sscanf(text.c_str() + bracket + 1, " %c %ld %ld %ld", &kin.state, &kin.parent, &group, &kin.session) != 4 ||
      kin.state == 'Z') {
    return {};
  }
  return kin;
}

fs::path folder_of(pid_t process) { return "/proc/" + std::to_string(process); }

// Returns the processes whose field `relation` equals `whose`.
std::vector<pid_t> all_of(pid_t whose, long Kin::*relation) {
  std::vector<pid_t> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("/proc", code)) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (kin_of(entry.path()).*relation == whose) found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

std::vector<pid_t> without(std::vector<pid_t> all, const std::vector<pid_t>& some) {
  std::erase_if(all, [&](pid_t one) { return std::find(some.begin(), some.end(), one) != some.end(); });
  return all;
}

// Returns the children of this process. Costs a single system call if there are none.
std::vector<pid_t> own_children() {
  siginfo_t none{};
  if (::waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD) return {};
  return children_of(::getpid());
}

thread_local int depth = 0;            // number of ProcessWatch objects of this thread
std::atomic<int> watching_threads{0};  // number of threads with at least one ProcessWatch

}  // namespace

std::vector<pid_t> children_of(pid_t parent) { return all_of(parent, &Kin::parent); }
std::vector<pid_t> processes_in_session(pid_t session) { return all_of(session, &Kin::session); }

bool is_stopped(pid_t process) {
  const char state = kin_of(folder_of(process)).state;
  return state == 'T' || state == 't';
}

std::string process_title(pid_t process) {
  std::ifstream file(folder_of(process) / "comm");
  std::string name;
  std::getline(file, name);
  return fmt::format("process {} ({})", process, name.empty() ? "?" : name);
}

void kill_until_none(const std::function<std::vector<pid_t>()>& list, const std::function<bool()>& reaped) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (;;) {
    const auto living = list();
    for (const pid_t one : living) ::kill(one, SIGKILL);
    if (reaped() && living.empty()) return;
    if (std::chrono::steady_clock::now() > deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Orphans::Orphans() : before_(own_children()) { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

Orphans::~Orphans() {
  end();
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

std::vector<pid_t> Orphans::living() const { return without(own_children(), before_); }

void Orphans::end() const {
  std::vector<pid_t> killed;
  kill_until_none(
      [&] {
        auto all = living();
        killed.insert(killed.end(), all.begin(), all.end());
        return all;
      },
      [&] {
        for (const pid_t one : killed) ::waitpid(one, nullptr, WNOHANG);
        return true;
      });
}

ProcessWatch::ProcessWatch() : process_(::getpid()), before_(own_children()) {
  if (depth++ == 0) ++watching_threads;
}

ProcessWatch::~ProcessWatch() {
  if (--depth == 0) --watching_threads;
}

std::vector<pid_t> ProcessWatch::left() const {
  if (watching_threads > 1) return {};
  return without(own_children(), before_);
}

bool ProcessWatch::in_copy() const { return ::getpid() != process_; }

}  // namespace compeer
