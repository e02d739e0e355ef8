#pragma once
#include <memory>
#include <ostream>
#include <streambuf>

namespace compeer::app {

/// Filters `stream` while this object exists: control characters other than line ends and tabs are printed as \xNN, so
/// that names, replies and files from others can't move the cursor or forge output. `stream` must outlive this.
class EscapingOutput {
 public:
  explicit EscapingOutput(std::ostream& stream);
  ~EscapingOutput();
  EscapingOutput(const EscapingOutput&) = delete;
  EscapingOutput& operator=(const EscapingOutput&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* before_;                  // the stream's own buffer, restored by the destructor
  std::unique_ptr<std::streambuf> filter_;  // the buffer that escapes characters
};

}  // namespace compeer::app
