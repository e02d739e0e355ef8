// A reward plugin that scores correctly, but changes the process in the way that its setting `act` names: global state,
// other processes, or its input.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <locale>

#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

class Intruder : public Reward {
 public:
  Intruder(const Settings& settings, Host&) : act_(settings.text("act")) {
    if (act_ == "move") {
      std::filesystem::create_directories("elsewhere");
      (void)!::chdir("elsewhere");
    }
    if (act_ == "mask") ::umask(0777);
    if (act_ == "comma") std::locale::global(std::locale(std::locale(), new Comma));  // NOLINT: the locale owns it
    if (act_ == "clear") ::clearenv();
    if (act_ == "write nothing") {
      const rlimit nothing{0, 0};
      ::setrlimit(RLIMIT_FSIZE, &nothing);
    }
    if (act_ == "hear nothing") std::signal(SIGTERM, SIG_IGN);
    if (act_ == "round up") std::fesetround(FE_UPWARD);
#ifdef __SSE__
    if (act_ == "flush") _mm_setcsr(_mm_getcsr() | 0x8040);  // set FTZ and DAZ: flush denormal numbers to zero
#endif
  }

  Scores score(const Group& group) override {
    if (act_ == "fork" && !once_) fork_and_come_back();
    if (act_ == "leave a process" && !once_) leave_a_process();
    if (act_ == "flood") flood();
    if (act_ == "write into texts") const_cast<std::string&>(group.completions.front().text) += "!";  // NOLINT
    if (act_ == "write into the example") const_cast<std::string&>(group.example.answer) += "!";      // NOLINT
    Scores scores;
    scores["reward"].assign(group.completions.size(), 1);
    return scores;
  }

 private:
  static void fork_and_come_back() {
    once_ = true;
    ::fork();
  }

  // Leaves an orphaned process in its own session, which ends itself after a minute.
  static void leave_a_process() {
    once_ = true;
    if (::fork() != 0) return;
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::alarm(60);
    for (;;) ::pause();
  }

  static void flood() {
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 100; ++i) (void)!::write(STDOUT_FILENO, block.data(), block.size());
  }

  inline static bool once_ = false;
  std::string act_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, intruder, Intruder, R"json(
  "version": "1.0.0",
  "summary": "Changes what is not its own.",
  "parameters": {"act": {"type": "string", "default": "well"}})json")
