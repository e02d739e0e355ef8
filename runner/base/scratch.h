#pragma once
#include <filesystem>
#include <system_error>

#include "base/disk.h"

namespace compeer {

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
