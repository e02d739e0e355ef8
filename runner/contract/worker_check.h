#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "contract/finding.h"

namespace compeer::contract {

/// What the worker has written into its report (contract/worker/reporter.h).
struct WorkerReport {
  std::vector<CheckFinding> findings;
  nlohmann::json call;   ///< {"check", "method", "input"} of the last call into the plugin; null before the first
  nlohmann::json crash;  ///< {"signal", "exit" or "seconds": number}; null without a crash
  std::vector<std::string> stack;
  std::optional<bool> made;  ///< whether an object could be made; empty if the checks did not finish
  std::string error;         ///< why the checks themselves failed; empty if they did not
};

/// Reads lines of JSON, and after the line of a crash the lines of its stack. Skips everything else.
WorkerReport read_report(const std::string& text);

/// The part of a stack between the first and the last function of `library`, or all of it if there is none. At most 12
/// lines.
std::vector<std::string> own_part(const std::vector<std::string>& stack, const std::filesystem::path& library);

/// What was found in the worker.
struct WorkerFindings {
  std::vector<CheckFinding> findings;
  bool made = false;  ///< an object of the plugin could be made
};

/// Runs check_plugin (contract/worker/check_plugin.h, which documents `options`) in a process of its own. A crash, a
/// hang or an exit of that process is a finding. `folder`: searched first for other plugins; `patience`: seconds that
/// one call into the plugin may take. Throws Error if the worker can't be run.
WorkerFindings check_in_worker(nlohmann::json options, const std::filesystem::path& folder, double patience);

}  // namespace compeer::contract
