#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace compeer::conformance {

/// Process state that all code shares and that plugin::ThreadStateGuard does not restore after every call: umask,
/// environment, limits, signal handlers, standard input, output and error, and the number of open files and threads.
/// The constructor saves it and redirects standard output to a file in memory.
class ProcessState {
 public:
  ProcessState();
  ~ProcessState();
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;

  /// Returns a sentence for each change: "it leaves the environment changed". Files and threads count from 20 more on:
  /// a test makes some fifty calls, and libtorch starts a few threads of its own.
  std::vector<std::string> changes() const;

 private:
  int output_ = -1;
  int64_t files_ = 0, threads_ = 0;
  std::map<std::string, std::string> before_;
};

/// Returns the number of heap bytes in use.
int64_t heap_bytes();

/// False under AddressSanitizer, which delays freeing memory.
#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_is_exact = false;
#else
constexpr bool memory_is_exact = true;
#endif

}  // namespace compeer::conformance
