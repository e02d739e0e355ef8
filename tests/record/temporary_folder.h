#pragma once
#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"

namespace compeer::record {

/// A temporary folder, deleted at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "compeer-record-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Returns the Error of `act` as "<file name>: <problem>", or "nothing".
inline std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return std::filesystem::path(error.where()).filename().string() + ": " + error.problem();
  }
  return "nothing";
}

}  // namespace compeer::record
