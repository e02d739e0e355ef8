#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace compeer::app {

/// A folder among the system's temporary files, for as long as the object lives.
class Scratch {
 public:
  Scratch() : folder_(std::filesystem::temp_directory_path() / fmt::format("compeer-bench-{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
  }
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

}  // namespace compeer::app
