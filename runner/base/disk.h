#pragma once
#include <filesystem>
#include <string>
#include <system_error>

/// Advice for failed file operations, and the folders for temporary and cached files.
namespace compeer {

/// Returns advice for the user after a file operation failed with this errno, such as "free disk space, then run the
/// same command to continue"; empty if there is none.
std::string write_error_help(int error);

/// Returns the errno of a failed library call, such as of HDF5, recovered from its error message, which contains the
/// strerror() text. Returns 0 unless that is an errno with advice by write_error_help().
int cause_in(const std::string& message);

/// Creates a new, empty folder in $TMPDIR (default: /tmp). Creates $TMPDIR itself if it does not exist, as mpirun does.
/// Throws Error (exit code 1: a failure of the system) that names TMPDIR if that fails.
std::filesystem::path make_temporary_folder();

/// Returns the user's folder for files that can be computed again: $XDG_CACHE_HOME/compeer, or ~/.cache/compeer if that
/// variable is not an absolute path; empty if $HOME is not set either.
std::filesystem::path cache_folder();

/// A new temporary folder. The destructor deletes it with its contents.
class Scratch {
 public:
  /// Creates the folder by make_temporary_folder().
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
