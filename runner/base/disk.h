#pragma once
#include <filesystem>
#include <string>
#include <system_error>

namespace compeer {

/// Returns advice for a failed file operation with this errno, such as "make room on its disk"; empty if there is none.
std::string write_error_help(int error);

/// Recovers the errno from the error message of a library such as HDF5, which contains its strerror() text. Returns 0
/// if the message contains no errno for which write_error_help() has advice.
int cause_in(const std::string& message);

/// Creates a new, empty folder in $TMPDIR (default: /tmp). Creates $TMPDIR itself if it does not exist, as mpirun does.
/// Throws Error (exit 1) that names TMPDIR.
std::filesystem::path make_temporary_folder();

/// Returns $XDG_CACHE_HOME/compeer, or ~/.cache/compeer if that variable is not an absolute path; empty if $HOME is not
/// set either.
std::filesystem::path cache_folder();

/// A temporary folder. The destructor deletes it with its contents.
class Scratch {
 public:
  Scratch() : folder_(make_temporary_folder()) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace compeer
