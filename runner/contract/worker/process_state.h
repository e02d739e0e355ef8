#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace compeer::contract {

/// The state of this process that code shares and plugin::CallerState does not restore after every call: umask,
/// environment, limits, signal handlers, standard input, output and error, and the number of open files and threads. As
/// it is when the object is constructed; from then on standard output is a file in memory.
class ProcessState {
 public:
  ProcessState();
  ~ProcessState();
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;

  /// Returns a sentence for each change: "it leaves the environment changed". Twenty more files or threads are one: a
  /// test makes some fifty calls, and libtorch has a few threads of its own.
  std::vector<std::string> changes() const;

 private:
  int output_ = -1;
  int64_t files_ = 0, threads_ = 0;
  std::map<std::string, std::string> before_;
};

/// Bytes that this process has asked for and not freed.
int64_t heap_bytes();

/// False under AddressSanitizer, which keeps freed memory for a while.
#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_is_exact = false;
#else
constexpr bool memory_is_exact = true;
#endif

}  // namespace compeer::contract
