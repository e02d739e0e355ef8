#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/finding.h"

namespace compeer::conformance {

/// Contents of the worker's report (conformance/worker/reporter.h).
struct WorkerReport {
  std::vector<CheckFinding> findings;
  nlohmann::json call;   ///< {"check", "method", "input"} of the last call into the plugin; null before the first
  nlohmann::json crash;  ///< {"signal", "exit" or "seconds": number}; null without a crash
  std::vector<std::string> stack;  ///< lines of the call stack after a crash
  std::optional<bool> made;        ///< true if an object could be made; empty if the checks did not finish
  std::string error;               ///< error of the checks themselves; empty if there was none
};

/// Parses a report: lines of JSON and, after the line of a crash, the lines of the call stack. Skips other lines.
WorkerReport read_report(const std::string& text);

/// Returns the part of a call stack from the first to the last function of `library`, or all of it if it has none of
/// them. At most 12 lines, and one with the number of lines omitted.
std::vector<std::string> own_part(const std::vector<std::string>& stack, const std::filesystem::path& library);

/// Findings of the checks in the worker.
struct WorkerFindings {
  std::vector<CheckFinding> findings;
  bool made = false;  ///< an object of the plugin could be made
};

/// Runs check_plugin (conformance/worker/check_plugin.h, which documents `options`) in a separate process. A crash, a
/// hang or an exit of that process is a finding. `folder`: searched first for other plugins. `patience`: maximum
/// duration of one call into the plugin, in seconds. Throws Error if the worker can't be run.
WorkerFindings check_in_worker(nlohmann::json options, const std::filesystem::path& folder, double patience);

}  // namespace compeer::conformance
