#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/finding.h"

// `compeer plugins check` runs the plugin's code in a worker process, so that a crash does not end the command. The
// worker writes a report into a pipe: lines of JSON, and a call stack after a crash. This header is the front end's
// side: it starts the worker, reads the report and turns a crash or a hang into a finding.

namespace compeer::conformance {

/// Contents of the worker's report.
struct WorkerReport {
  std::vector<CheckFinding> findings;  ///< in the order of the checks
  nlohmann::json call;   ///< {"check", "method", "input"} of the last call into the plugin; null before the first
  nlohmann::json crash;  ///< one of {"signal": number}, {"exit": code of a call of exit()}, {"seconds": time limit
                         ///< that a call exceeded}; null without a crash
  std::vector<std::string> stack;  ///< lines of the call stack after a crash
  std::optional<bool> made;  ///< true if an object of the plugin was constructed; empty if the checks did not finish
  std::string error;         ///< error of the checks themselves; empty if there was none
};

/// Parses the text of a report. Skips lines that the worker did not write.
WorkerReport read_report(const std::string& text);

/// Returns the lines of a call stack from the first to the last one of the plugin's library, or all lines if none
/// belongs to it. Of more than 12 lines it returns 12, and a last one with the number of lines omitted.
std::vector<std::string> own_part(const std::vector<std::string>& stack, const std::filesystem::path& library);

/// Result of the worker, complete after its end.
struct WorkerFindings {
  std::vector<CheckFinding> findings;  ///< of the report, and those on how the process ended
  bool made = false;                   ///< an object of the plugin was constructed
};

/// Runs the worker and waits for it. A crash, a hang or an exit of that process is a finding. `options`: JSON object
/// with kind, name, version, path, SHA-256 and settings of the plugin, which is passed on to the worker's function
/// check_plugin(). `folder`: plugin folder that is searched first if the plugin opens other plugins. `patience`:
/// maximum duration of one call into the plugin, in seconds. Throws Error (exit code 1: the worker can't be run; 5: the
/// checks themselves failed).
WorkerFindings check_in_worker(nlohmann::json options, const std::filesystem::path& folder, double patience);

}  // namespace compeer::conformance
