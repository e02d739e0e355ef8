#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace compeer {

/// What of this machine the process may use: what the kernel, a launcher's binding and control groups (of a batch
/// system, of a container) leave it.
struct Machine {
  std::vector<int> cores;       ///< numbers of the processors it may run on
  double quota = 0;             ///< so many processors' time its control group gets; 0: no limit
  uint64_t memory = 0;          ///< bytes: of the machine, or the least limit of its control groups
  uint64_t free = 0;            ///< of that, not in use; what the system keeps of files it would give up is free, too
  std::string limited_by = {};  ///< the control group whose limit `memory` is; "" if it is all of the machine's
};

/// `root` holds proc/ and sys/: tests have others. Numbers that can't be found out are 0, lists empty.
Machine this_machine(const std::filesystem::path& root = "/");

std::string host_name();

/// "0-3,8" -> 0 1 2 3 8; nothing of a text that is no such list.
std::vector<int> core_list(const std::string& text);

/// The other way around: 0 1 2 3 8 -> "0-3,8".
std::string core_text(const std::vector<int>& cores);

}  // namespace compeer
