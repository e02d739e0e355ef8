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
  uint64_t memory = 0;          ///< bytes: the machine's memory, or the smallest limit of the control groups
  uint64_t free = 0;            ///< available bytes of `memory`; reclaimable page cache counts as available
  std::string limited_by = {};  ///< control group whose limit `memory` is; empty if it is the machine's memory
};

/// Returns the resources of this machine. `root` contains proc/ and sys/; tests pass another folder. Numbers that can't
/// be determined are 0, lists empty.
Machine this_machine(const std::filesystem::path& root = "/");

/// Returns the name of this machine in its network.
std::string host_name();

/// Parses a list of CPU numbers: "0-3,8" -> 0 1 2 3 8. Empty if `text` is malformed.
std::vector<int> core_list(const std::string& text);

/// Formats ascending CPU numbers: 0 1 2 3 8 -> "0-3,8".
std::string core_text(const std::vector<int>& cores);

}  // namespace compeer
