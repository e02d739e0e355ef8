#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "base/error.h"

/// Reading of a run's files in a child process. HDF5 may crash or hang on damaged files; the child protects this
/// process.
namespace compeer::record {

/// Result of in_child().
struct ChildResult {
  std::string output;      ///< return value of `work`; meaningless if there is a problem
  std::string problem;     ///< "" on success, otherwise the error's text, "reading it crashed (Segmentation fault)" or
                           ///< "took longer than 60 seconds"
  Exit exit = Exit::data;  ///< exit code of the problem: that of an Error, otherwise 4 (invalid data)
};

/// Runs `work` in a child process (fork) with at most 16 GiB of memory, and kills it after `seconds`. Only for programs
/// with one thread. Exceptions of `work` become ChildResult::problem. Throws Error (exit code 1: a failure of the
/// system) if no process can be started.
ChildResult in_child(const std::function<std::string()>& work, double seconds);

/// Runs `work` in a child process as in_child() does. `work` writes to a stream; when it has returned, this text is
/// copied to `out`. If `work` throws an Error, throws that Error in this process. Throws Error (exit code 4) for other
/// problems, such as a crash; `where` is the location in its message, such as the run's folder.
void write_from_child(const std::string& where, double seconds, const std::function<void(std::ostream&)>& work,
                      std::ostream& out);

}  // namespace compeer::record
