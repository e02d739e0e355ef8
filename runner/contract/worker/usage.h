#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace compeer::contract {

/// What this process has in use.
struct Usage {
  int64_t heap = 0;      ///< bytes that were asked for and not given back
  int64_t resident = 0;  ///< bytes
  int64_t files = 0;     ///< open descriptors
  int64_t threads = 0;
};
Usage usage();

/// What grew from call to call, in words: "left 900 more files open"; empty if nothing did. Measured before, in the
/// middle of and after `calls` calls: what grows once, such as a cache, has no part in it.
std::vector<std::string> grown(const Usage& before, const Usage& middle, const Usage& after, int64_t calls);

/// Standard input, output and error as they were when it was made.
class Streams {
 public:
  Streams();  ///< from here on standard output is a file of its own
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// What became of them, in words: "closed descriptor 1", "wrote 6 bytes to standard output: hello".
  std::vector<std::string> touched() const;

 private:
  std::vector<std::string> before_;  // what 0, 1 and 2 lead to
  int written_ = -1;
};

}  // namespace compeer::contract
