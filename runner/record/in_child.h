#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "base/error.h"

namespace compeer::record {

/// Result of work in a child process, which protects this process because HDF5 may crash or hang on damaged files.
struct ChildResult {
  std::string output;      ///< return value of `work`
  std::string problem;     ///< "" on success, otherwise the error's text, "reading it crashed (Segmentation fault)" or
                           ///< "took longer than 60 seconds"
  Exit exit = Exit::data;  ///< exit code of the problem: that of an Error, otherwise 4
};

/// Runs `work` in a child process (fork) with at most 16 GiB of memory, and kills it after `seconds`. Only for programs
/// with one thread. Throws Error (exit 1) if no process can be started; all other problems are in the result.
ChildResult in_child(const std::function<std::string()>& work, double seconds);

/// Runs `work` in the same way and copies its output to `out`. If `work` throws an Error, throws that Error here; other
/// problems, such as a crash, are thrown as Error at `where` (exit 4).
void write_from_child(const std::string& where, double seconds, const std::function<void(std::ostream&)>& work,
                      std::ostream& out);

}  // namespace compeer::record
