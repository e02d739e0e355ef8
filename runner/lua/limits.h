#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace compeer::lua {

/// What one script may use. A script describes runs, so these are far above any need.
struct Limits {
  size_t memory = size_t{256} << 20;    ///< bytes of all Lua values together, and of what C++ holds for the script
  size_t block = size_t{64} << 20;      ///< bytes of one string, or of one table's storage
  uint64_t instructions = 100'000'000;  ///< of the Lua machine, and steps of functions that loop by themselves
  double seconds = 3;                   ///< of this thread's processor time, so waiting for runs doesn't count
};

/// Counts what a script uses. Instructions alone decide in almost every case, so that a script ends in the same way
/// on every machine; processor time is for the few single instructions that take long.
class Budget {
 public:
  explicit Budget(const Limits& limits);

  /// Counts a block of memory that is to change its size. False if it may not.
  bool resize(size_t old_size, size_t new_size);

  /// The same for memory of any size that C++ holds for the script.
  bool hold(size_t bytes);
  void release(size_t bytes) noexcept { memory_ -= bytes; }

  /// Adds instructions. Returns what is used up, in words, or nothing.
  const char* spend(uint64_t instructions);

  /// Processor time between these two is not counted (a launch polls the files of its run).
  void pause();
  void resume();

  const Limits& limits() const { return limits_; }
  std::string memory_text() const;  ///< "more than 256 MiB of memory"

 private:
  bool late();
  Limits limits_;
  size_t memory_ = 0;
  uint64_t instructions_ = 0;
  bool late_ = false;
  double started_, looked_, paused_at_ = 0;
  std::string instructions_text_, seconds_text_;
};

}  // namespace compeer::lua
