#pragma once
#include <fstream>
#include <string>

namespace compeer::train {

/// The most memory that this process has had resident so far, in MiB; 0 where the system does not say.
inline double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

}  // namespace compeer::train
