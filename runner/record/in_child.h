#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "base/error.h"

namespace compeer::record {

/// What became of work done in a process of its own, for HDF5 may crash or never end on damaged files.
struct ChildResult {
  std::string output;      ///< what `work` returned
  std::string problem;     ///< empty if it returned: "crashed (Segmentation fault)", "took longer than 60 seconds"
  Exit exit = Exit::data;  ///< exit code of the problem: that of an Error, 4 of all others
};

/// Runs `work` in a child process and waits at most `seconds`. Exceptions of `work` become the problem. Only for
/// programs with one thread.
ChildResult in_child(const std::function<std::string()>& work, double seconds);

/// Runs `work` likewise, and writes to `out` what it wrote. An Error of it comes back as it
/// was; whatever else went wrong, as a crash, is one at `where` (exit 4).
void write_from_child(const std::string& where, double seconds, const std::function<void(std::ostream&)>& work,
                      std::ostream& out);

}  // namespace compeer::record
