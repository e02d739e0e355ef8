#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/process.h"

namespace compeer::launch {

/// Why a run did not finish, or nothing if it did: from error.json, else from how its process ended and what it wrote
/// to its log since `log_start`. Names rank, host, phase and plugin as far as they are known.
std::optional<Error> why_it_ended(const std::filesystem::path& folder, const ProcessEnd& end, uint64_t log_start);

/// Writes error.json for a failed run whose ranks have left none, as after kill -9: the first line of `error`, the exit
/// code or 128 + signal of its process, the phase that status.json has.
void record_failure(const std::filesystem::path& folder, const Error& error, const ProcessEnd& end, uint64_t log_start);

/// What a run warns of in its log, each once, and of many the first.
class Warnings {
 public:
  Warnings(const std::filesystem::path& folder, uint64_t log_start) : log_(folder / "log.txt"), next_(log_start) {}

  std::vector<std::string> fresh();  ///< since the last call
  std::string others() const;        ///< where the rest of many are; "" if there are none

 private:
  std::filesystem::path log_;
  uint64_t next_;
  std::vector<std::string> told_;
  size_t more_ = 0;
};

/// Of a run whose launcher was ended because after `seconds` there was no rank yet.
Error no_rank_began(const std::filesystem::path& folder, double seconds, uint64_t log_start);

/// Of a run that was stopped before there was a rank.
Error stopped_before(const std::filesystem::path& folder);

}  // namespace compeer::launch
