#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/files.h"

/// A temporary folder for one test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "compeer-plugins-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file below the folder, creating parent folders; returns its path.
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    compeer::write_file(path_ / name, bytes);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};
