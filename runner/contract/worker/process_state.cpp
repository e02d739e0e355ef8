#include "contract/worker/process_state.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <filesystem>
#include <locale>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace compeer::contract {

namespace {

std::string mask() {
  const mode_t mask = ::umask(0);  // it can't be asked without being set
  ::umask(mask);
  return std::to_string(mask);
}

// A locale of facets that somebody has put together is called "*".
std::string locale() { return std::string(std::setlocale(LC_ALL, nullptr)) + " " + std::locale().name(); }

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

std::string signals() {
  std::string all;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    all += fmt::format("{} {} ", reinterpret_cast<uintptr_t>(action.sa_handler), action.sa_flags);
  }
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int signal = 1; signal < NSIG; ++signal) all += ::sigismember(&blocked, signal) == 1 ? "1" : "0";
  return all;
}

// Rounding, flushing to zero and trapping, without the flags that say what has happened in past calculations.
std::string arithmetic() {
  auto all = fmt::format("{} {}", std::fegetround(), ::fegetexcept());
#ifdef __SSE__
  all += fmt::format(" {}", _mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_MASK));
#endif
  return all;
}

std::map<std::string, std::string> as_they_are() {
  std::error_code code;
  return {{"the current folder", std::filesystem::current_path(code).string()},
          {"the mask of new files' modes (umask)", mask()},
          {"the locale", locale()},
          {"the environment", environment()},
          {"the limits of the process", limits()},
          {"what signals do", signals()},
          {"how numbers are rounded", arithmetic()}};
}

}  // namespace

ProcessState::ProcessState() : before_(as_they_are()) {}

std::vector<std::string> ProcessState::changed() const {
  std::vector<std::string> all;
  for (const auto& [what, now] : as_they_are()) {
    if (before_.at(what) != now) all.push_back(what);
  }
  return all;
}

}  // namespace compeer::contract
