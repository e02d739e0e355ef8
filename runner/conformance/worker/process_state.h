#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace compeer::conformance {

/// A copy of the process-wide state that a plugin must leave as it was: umask, environment, limits, signal handlers,
/// standard input, output and error, and the numbers of open files and threads. `compeer plugins check` makes the copy
/// before it calls the plugin and compares it with the state afterwards.
class ProcessState {
 public:
  /// Copies the state, and redirects standard output to a file in memory until the process ends.
  ProcessState();
  ~ProcessState();
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;

  /// Returns a sentence for each change since the construction: "it leaves the environment changed". Output on standard
  /// output is a change. Up to 19 additional files or threads are none, because libtorch starts some of its own; a
  /// plugin that leaks one per call leaves about fifty.
  std::vector<std::string> changes() const;

 private:
  int output_ = -1;                            // descriptor of the file in memory that replaces standard output
  int64_t files_ = 0, threads_ = 0;            // numbers of open files and of threads at construction
  std::map<std::string, std::string> before_;  // name of a state ("the umask") -> its value at construction, as text
};

/// Returns the number of bytes that are allocated with malloc and not freed. Used to find memory leaks.
int64_t heap_bytes();

/// False if heap_bytes() can't be used to find leaks: AddressSanitizer delays freeing memory.
#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_is_exact = false;
#else
constexpr bool memory_is_exact = true;
#endif

}  // namespace compeer::conformance
