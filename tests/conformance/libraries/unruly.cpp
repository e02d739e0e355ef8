// A reward plugin that does what its setting `act` names: things that no plugin may do to the program.
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

[[gnu::noinline]] void write_to_nowhere() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

[[gnu::noinline]] int fill_the_stack(int depth) {
  volatile char much[4096] = {};
  much[static_cast<size_t>(depth) % sizeof much] = 1;
  return depth < 0 ? 0 : fill_the_stack(depth + 1) + much[0];  // never negative; prevents tail calls
}

[[gnu::noinline]] void throw_seven() { throw 7; }
void throw_where_none_may() noexcept { throw_seven(); }

class Unruly : public Reward {
 public:
  Unruly(const Settings& settings, Host&) : act_(settings.text("act")) {
    if (act_ == "crash in the constructor") write_to_nowhere();
    if (act_ == "refuse") throw std::runtime_error("not today");
    if (act_ == "refuse 9" && settings.integer("n") == 9) throw std::runtime_error("one less, please");
  }
  ~Unruly() override {
    if (act_ == "crash in the destructor") write_to_nowhere();
  }

  std::vector<Scores> score_all(std::span<const Group> groups) override {
    std::vector<Scores> all;
    for (const Group& group : groups) {
      misbehave(group);
      const bool no_question = group.example.history.back().text.empty();
      const double each = act_ == "divide by the question" && no_question ? std::nan("")
                          : act_ == "company"                             ? static_cast<double>(groups.size())
                                                                          : value();
      Scores& scores = all.emplace_back();
      const size_t count = group.completions.size();
      scores["style"].assign(count, each);
      scores["quality"].assign(act_ == "wrong count" ? count - 1 : count, act_ == "nan" ? std::nan("") : each);
    }
    return all;
  }

 private:
  void misbehave(const Group& group) {
    if (act_ == "crash in the method") write_to_nowhere();
    if (act_ == "crash when it is empty" && group.completions.front().text.empty()) write_to_nowhere();
    if (act_ == "overflow the stack") fill_the_stack(1);
    if (act_ == "throw int") throw 7;
    if (act_ == "throw where none may") throw_where_none_may();
    if (act_ == "exit") std::exit(0);
    if (act_ == "_exit") ::_exit(0);
    if (act_ == "kill") ::kill(::getpid(), SIGKILL);
    if (act_ == "spin") {
      for (volatile bool always = true; always;) continue;
    }
    if (act_ == "leak memory") kept_.push_back(new char[100]);  // NOLINT
    if (act_ == "leak descriptors") (void)!::open("/dev/null", O_RDONLY);
    if (act_ == "start threads") std::thread([] { ::pause(); }).detach();
    if (act_ == "print") std::puts("hello");
    if (act_ == "close") ::close(1);
    if (act_.starts_with("write ")) write_everywhere(act_.substr(6));
  }

  // Writes to all descriptors that may be open.
  static void write_everywhere(const std::string& text) {
    for (int file = 3; file < 32; ++file) (void)!::write(file, text.data(), text.size());
  }

  double value() {
    if (act_ == "count calls") return static_cast<double>(++calls_);
    if (act_ == "look at the clock")
      return static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count() % 65521);
    if (act_ == "count threads") return at::get_num_threads();
    return 1;
  }

  std::string act_;
  std::vector<char*> kept_;
  int calls_ = 0;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, unruly, Unruly, R"json(
  "version": "1.0.0",
  "summary": "Does what no plugin may.",
  "columns": ["style", "quality"],
  "parameters": {
    "act": {"type": "string", "default": "well"},
    "n": {"type": "integer", "default": 3, "min": 1, "max": 9}
  })json")
