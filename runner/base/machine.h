#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace compeer {

/// The resources of this machine that the process may use, as limited by the kernel, the launcher's core binding and
/// control groups (of a batch system or a container).
struct Machine {
  std::vector<int> cores;       ///< CPU numbers that the process may run on
  double quota = 0;             ///< CPU time limit of the control groups, in CPUs; 0: no limit
  uint64_t memory = 0;          ///< memory in bytes: the machine's, or the smallest limit of the control groups
  uint64_t free = 0;            ///< available bytes of `memory`; reclaimable page cache counts as available
  std::string limited_by = {};  ///< folder of the control group that limits `memory`; empty if none does
};

/// Returns the resources of this machine. `root`: folder that contains proc/ and sys/; tests pass another one. Numbers
/// that can't be determined are 0, lists are empty.
Machine this_machine(const std::filesystem::path& root = "/");

/// Returns this machine's host name; "?" if it is unknown.
std::string host_name();

/// Parses a list of CPU numbers: "0-3,8" -> 0 1 2 3 8. Empty if `text` is malformed.
std::vector<int> core_list(const std::string& text);

/// Formats ascending CPU numbers: 0 1 2 3 8 -> "0-3,8".
std::string core_text(const std::vector<int>& cores);

}  // namespace compeer
