#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace compeer::contract {

/// What repeated calls took.
struct Repetition {
  int64_t calls = 0;               ///< fewer than were wanted if they are slow
  int64_t measured = 0;            ///< of these, those after the first tenth
  double median = 0;               ///< seconds of a call
  std::vector<std::string> grown;  ///< what each measured call left behind, in words (usage.h)
};

/// Calls `f` up to `most` times, for ten seconds at most, unless one call takes longer.
Repetition repeat(int64_t most, const std::function<void()>& f);

}  // namespace compeer::contract
