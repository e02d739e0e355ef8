#pragma once
#include <filesystem>
#include <string>
#include <system_error>

namespace compeer {

/// What to do when a file can't be written, by the cause (errno); "" if nothing fits.
std::string remedy_of_write(int error);

/// The errno whose text a message of another library holds, of those that have a remedy; 0: none.
int cause_in(const std::string& message);

/// A new, empty folder in $TMPDIR (or /tmp), which is made if it isn't there, as mpirun does. Throws Error (exit 1)
/// that names TMPDIR.
std::filesystem::path make_temporary_folder();

/// $XDG_CACHE_HOME/compeer, by default in ~/.cache; empty if neither is known.
std::filesystem::path cache_folder();

/// A folder among the system's temporary files, for as long as the object lives.
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
