#pragma once
#include <memory>
#include <ostream>
#include <streambuf>

namespace compeer::app {

/// Filters `stream` while this object exists: control characters other than line ends and tabs are printed as \xNN, so
/// that names, replies and files from others can't move the cursor or forge output. `stream` must outlive this.
class PlainOutput {
 public:
  explicit PlainOutput(std::ostream& stream);
  ~PlainOutput();
  PlainOutput(const PlainOutput&) = delete;
  PlainOutput& operator=(const PlainOutput&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* before_;
  std::unique_ptr<std::streambuf> filter_;
};

}  // namespace compeer::app
