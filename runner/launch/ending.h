#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/process.h"

namespace compeer::launch {

// In these functions `folder` is the run's folder, and `log_start` the size of its log.txt in bytes when this attempt
// began: only later text is read.

/// Returns why a run did not finish, or nothing if it finished. Uses error.json if a rank has written it, otherwise the
/// end of the process and the end of the log. Names rank, host, phase and plugin as far as they are known. The exit
/// code is 84 or 85 if the run stopped and can be resumed.
std::optional<Error> why_it_ended(const std::filesystem::path& folder, const ProcessEnd& end, uint64_t log_start);

/// Writes error.json for a failed run, unless a rank has written it. Needed after kill -9, for example. It contains the
/// first line of `error`, the exit code or 128 + signal of the process, and the phase in status.json.
void record_failure(const std::filesystem::path& folder, const Error& error, const ProcessEnd& end, uint64_t log_start);

/// Reader of the warnings that a run writes to its log. Reports each warning once, and only the first five.
class Warnings {
 public:
  Warnings(const std::filesystem::path& folder, uint64_t log_start) : log_(folder / "log.txt"), next_(log_start) {}

  std::vector<std::string> fresh();  ///< returns the warnings written since the last call
  std::string others() const;  ///< returns "N more warnings are in LOG" if there were more than five, otherwise ""

 private:
  std::filesystem::path log_;
  uint64_t next_;                  // offset in the log from which to read
  std::vector<std::string> told_;  // reported warnings
  size_t more_ = 0;                // number of warnings that were not reported
};

/// Returns the Error (exit 86) of a run whose launcher was killed because no rank had started after `seconds`.
Error no_rank_began(const std::filesystem::path& folder, double seconds, uint64_t log_start);

/// Returns the Error (exit 85) of a run that was stopped before a rank had started.
Error stopped_before(const std::filesystem::path& folder);

}  // namespace compeer::launch
