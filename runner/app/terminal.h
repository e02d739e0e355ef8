#pragma once
#include <memory>
#include <ostream>
#include <streambuf>

namespace compeer::app {

/// While it lives, what is written to the stream is fit for a terminal: control characters, with which names, replies
/// and files of strangers could move the cursor or forge output, appear as \xNN. Line ends and tabs stay.
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
