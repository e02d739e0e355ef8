// Saves, compares and restores the floating-point control, signal mask, current folder and locale.
#include "plugin/caller_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cstring>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace compeer::plugin {

namespace {

constexpr auto rounding = "the rounding mode";

void name(std::vector<std::string>& changed, std::string_view what) {
  if (std::find(changed.begin(), changed.end(), what) == changed.end()) changed.emplace_back(what);
}

#ifdef __x86_64__

constexpr auto traps = "the traps of floating-point exceptions";

struct Bits {
  uint32_t mask;
  std::string_view name;
};

// Control bits of the SSE and x87 units. Their other bits are status flags.
constexpr Bits sse_bits[] = {{0x6000, rounding}, {0x8040, ThreadStateGuard::denormals}, {0x1f80, traps}};
constexpr Bits x87_bits[] = {{0x0c00, rounding}, {0x0300, "the precision of x87"}, {0x003f, traps}};
constexpr uint32_t sse_control = 0x6000 | 0x8040 | 0x1f80;

uint16_t x87_control() {
  uint16_t word = 0;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}

// Clears pending exceptions first, because fldcw would trap on them.
void set_x87_control(uint16_t word) { __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(word)); }

#endif

// Sets "" if the folder has been removed or its path is too long.
void read_folder(char (&folder)[PATH_MAX]) {
  if (!::getcwd(folder, sizeof folder)) folder[0] = '\0';
}

}  // namespace

ThreadStateGuard::ThreadStateGuard() : c_locale_(std::setlocale(LC_ALL, nullptr)) {
#ifdef __x86_64__
  sse_ = _mm_getcsr() & sse_control;
  x87_ = x87_control();
#else
  x87_ = static_cast<uint16_t>(std::fegetround());
#endif
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
  read_folder(folder_);
}

std::vector<std::string> ThreadStateGuard::restore() const {
  auto changed = restore_arithmetic();
  if (restore_signals()) changed.emplace_back("the set of blocked signals");
  if (restore_folder()) changed.emplace_back("the current folder");
  if (restore_locale()) changed.emplace_back("the locale");
  return changed;
}

#ifdef __x86_64__

std::vector<std::string> ThreadStateGuard::restore_arithmetic() const {
  std::vector<std::string> changed;
  const uint32_t sse = _mm_getcsr(), x87 = x87_control();
  for (const Bits& bits : sse_bits)
    if ((sse ^ sse_) & bits.mask) name(changed, bits.name);
  for (const Bits& bits : x87_bits)
    if ((x87 ^ x87_) & bits.mask) name(changed, bits.name);
  if (changed.empty()) return changed;
  _mm_setcsr((sse & ~sse_control) | sse_);
  set_x87_control(x87_);
  return changed;
}

#else

std::vector<std::string> ThreadStateGuard::restore_arithmetic() const {
  if (std::fegetround() == x87_) return {};
  std::fesetround(x87_);
  return {rounding};
}

#endif

bool ThreadStateGuard::restore_signals() const {
  sigset_t blocked = {};
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  if (std::memcmp(&blocked, &blocked_, sizeof blocked) == 0) return false;
  ::pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  return true;
}

// If the folder was renamed, its path differs, but chdir to the old path fails with ENOENT: then nothing was changed.
bool ThreadStateGuard::restore_folder() const {
  char folder[PATH_MAX];
  read_folder(folder);
  if (std::strcmp(folder, folder_) == 0) return false;
  return ::chdir(folder_) == 0 || errno != ENOENT;
}

bool ThreadStateGuard::restore_locale() const {
  const bool same = std::locale() == locale_, same_in_c = c_locale_ == std::setlocale(LC_ALL, nullptr);
  if (!same) std::locale::global(locale_);
  if (!same || !same_in_c) std::setlocale(LC_ALL, c_locale_.c_str());
  return !same || !same_in_c;
}

std::string in_words(const std::vector<std::string>& changed) { return fmt::format("{}", fmt::join(changed, " and ")); }

}  // namespace compeer::plugin
