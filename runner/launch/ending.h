#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/process.h"

// How a run ended, for messages to the user. The front end starts a run as a child process and appends its output to
// log.txt in the run's folder. A failing process of the run, a rank, writes its error to error.json.
//
// In these functions `folder` is the run's folder, and `log_start` the size of its log.txt in bytes when the child
// process was started: only later text is read.

namespace compeer::launch {

/// Returns why a run did not finish, or nothing if it finished. Uses error.json if a rank has written it, otherwise the
/// end of the process and the end of the log. Names rank, host, phase and plugin as far as they are known. The exit
/// code is 84 (budget spent) or 85 (stopped by a signal) if the run stopped and can be resumed. `end`: how the child
/// process ended.
std::optional<Error> why_it_ended(const std::filesystem::path& folder, const ProcessEnd& end, uint64_t log_start);

/// Writes error.json for a failed run, unless a rank has written it. Needed after kill -9, for example. The file
/// contains the first line of `error`, the exit code or 128 + signal of the process, and the phase in status.json.
void record_failure(const std::filesystem::path& folder, const Error& error, const ProcessEnd& end, uint64_t log_start);

/// Reader of the warnings that a run writes to its log. Reports each warning once, and only the first five.
class Warnings {
 public:
  /// Does not read the log yet.
  Warnings(const std::filesystem::path& folder, uint64_t log_start) : log_(folder / "log.txt"), next_(log_start) {}

  std::vector<std::string> fresh();  ///< returns the warnings written since the last call, without repetitions
  std::string others() const;  ///< returns "N more warnings are in LOG" if there were more than five, otherwise ""

 private:
  std::filesystem::path log_;          // path of log.txt
  uint64_t next_;                      // offset in the log of the next line to read, in bytes
  std::vector<std::string> reported_;  // warnings that fresh() has returned
  size_t unreported_ = 0;              // number of further warnings
};

/// Returns the Error (exit code 86: watchdog) of a run that was killed because mpirun had started no rank after
/// `seconds`.
Error no_rank_began(const std::filesystem::path& folder, double seconds, uint64_t log_start);

/// Returns the Error (exit code 85) of a run that was stopped before a rank had started.
Error stopped_before(const std::filesystem::path& folder);

}  // namespace compeer::launch
