// A reward plugin that does what its setting `act` names: everything that a plugin can do wrong, and one correct
// behaviour.
#include <c10/util/Exception.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include <cfenv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <locale>
#include <stdexcept>

#include "base/error.h"
#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "compeer/similarity.h"

namespace {

using namespace compeer;

// Shows that the library was loaded.
[[maybe_unused]] const int loaded = ::setenv("COMPEER_TEST_ACTOR_LOADED", "1", 1);

struct Private : std::runtime_error {  // a type unknown outside this library
  using std::runtime_error::runtime_error;
};
struct Stranger {};

// Changes one part of the process state that a call must restore.
void change(const std::string& what) {
  if (what == "rounding") std::fesetround(FE_UPWARD);
#ifdef __x86_64__
  if (what == "denormals") _mm_setcsr(_mm_getcsr() | 0x8040);
  if (what == "traps") _mm_setcsr(_mm_getcsr() & ~unsigned{_MM_MASK_DIV_ZERO});
  if (what == "precision") {
    const uint16_t single = 0x007f;
    __asm__ volatile("fldcw %0" : : "m"(single));
  }
#endif
  if (what == "flags") std::feraiseexcept(FE_INEXACT | FE_OVERFLOW);
  if (what == "folder") (void)!::chdir("/");
  if (what == "locale") std::locale::global(std::locale(std::locale(), new std::numpunct<char>));  // NOLINT: owned
  if (what == "signals") {
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
  }
}

class Actor : public Reward {
 public:
  Actor(const Settings& settings, Host& host) : host_(host), act_(settings.text("act")) {
    if (act_.starts_with("change in make: ")) change(act_.substr(16));
    if (act_ == "throw in make") throw std::runtime_error("no, I will not be made");
    if (act_ == "ask for a similarity") mirror();
    if (act_ == "ask for a setting") settings.number("speed");
    if (act_ == "ask for a number") settings.number("act");
  }

  ~Actor() override {
    if (act_.starts_with("change at the end: ")) change(act_.substr(19));
  }

  std::vector<std::string> columns() const override {
    if (act_ == "equal columns") return {"style", "style"};
    if (act_ == "odd columns") return {"style/tone"};
    if (act_ == "dots") return {"style", ".."};
    return {};  // from the descriptor
  }

  std::vector<Scores> score_all(std::span<const Group> groups) override {
    if (act_ == "throw for two" && groups.size() > 1) throw std::runtime_error("too many");
    auto all = Reward::score_all(groups);
    if (act_ == "one more") all.emplace_back();
    return all;
  }

  bool abstains() const override { return act_ == "abstain"; }

  Scores score(const Group& group) override {
    for (const Completion& completion : group.completions) {
      if (act_ == "throw at x" && completion.text.find('x') != std::string::npos) throw std::invalid_argument("stoi");
    }
    if (act_.starts_with("change: ")) change(act_.substr(8));
    if (act_ == "leave a process" && ::fork() == 0) ::pause();
    if (act_ == "return twice") (void)::fork();
    if (act_ == "return, and throw in a copy" && ::fork() == 0) throw std::runtime_error("no program to run");
    if (act_ == "change and throw") {
      change("rounding");
      throw std::runtime_error("no more");
    }
    if (act_ == "change for the similarity") {
      change("rounding");
      mirror().compare({"a"}, {"b"});
      std::fesetround(FE_TONEAREST);
    }
    if (act_ == "throw std") throw std::out_of_range("no such word: 'lenght'");
    if (act_ == "throw without a message") throw Private("");
    if (act_ == "throw much") throw std::runtime_error(std::string(20'000'000, 'x'));
    if (act_ == "write") const_cast<std::string&>(group.completions.back().text) = "mine";  // NOLINT
    if (act_ == "throw c10") TORCH_CHECK(false, "sizes ", 3, " and ", 4, " differ");
    if (act_ == "throw private") throw Private("a private matter");
    if (act_ == "throw int") throw 7;
    if (act_ == "throw stranger") throw Stranger();
    if (act_ == "throw error") throw Error("data/x.jsonl:3", "is no JSON", "mend the line", Exit::data);
    Scores scores;
    if (act_ == "quality first") scores["quality"];
    for (size_t i = 0; i < group.completions.size(); ++i) scores.add(row(i));
    if (act_ == "note") scores.note = group.example.id;
    if (act_ == "twice") scores["style"].push_back(1);
    return scores;
  }

 private:
  Scores::Row row(size_t i) {
    if (act_ == "nothing") return {};
    if (act_ == "leave out" && i == 3) return {{"style", 1}};
    if (act_ == "another column" && i == 3) return {{"style", 1}, {"qualty", 1}};
    if (act_ == "compare") return {{"style", mirror().compare({"a"}, {"b"})[0][0]}, {"quality", 1}};
    if (act_ == "thirds") return {{"style", 1.0 / 3}, {"quality", 1}};
    if (act_ == "too large") return {{"style", 1e39}, {"quality", 1}};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool nan = (act_ == "nan" || act_ == "abstain") && i == 2;
    return {{"style", act_ == "infinity" ? -infinity : 1}, {"quality", nan ? no_opinion : 1}};
  }

  Similarity& mirror() { return host_.similarity(Settings(nlohmann::json{{"plugin", "mirror"}})); }

  Host& host_;
  std::string act_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, actor, Actor, R"json(
  "version": "2.3.4",
  "summary": "Does what it is told.",
  "columns": ["style", "quality"],
  "parameters": {"act": {"type": "string", "default": "well"}})json")
