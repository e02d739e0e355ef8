#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// Shared by fuzz targets: the input as text, file or folder, and the checks of results.
namespace compeer::fuzz {

/// Reports a finding (by a trap) unless `holds`.
inline void expect(bool holds) {
  if (!holds) __builtin_trap();
}

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Runs `read`, which may throw an Error with one of these exit codes. Any other exception is a finding.
template <class Read>
void expect_errors_only(std::initializer_list<Exit> exits, Read read) {
  try {
    read();
  } catch (const Error& error) {
    expect(std::find(exits.begin(), exits.end(), error.exit()) != exits.end());
  }
}

/// Splits an input for several files at lines of "====". Returns at least one part.
inline std::vector<std::string_view> parts_of(std::string_view text) {
  constexpr std::string_view between = "\n====\n";
  std::vector<std::string_view> parts;
  for (size_t at = text.find(between); at != text.npos; at = text.find(between)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + between.size());
  }
  parts.push_back(text);
  return parts;
}

/// A file in memory (memfd), which saves millions of writes to disk.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view bytes) : descriptor_(::memfd_create("fuzzed", MFD_CLOEXEC)) {
    while (!bytes.empty()) bytes.remove_prefix(static_cast<size_t>(::write(descriptor_, bytes.data(), bytes.size())));
  }
  ~FileInMemory() { ::close(descriptor_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// A temporary folder, removed by the destructor. run.sh sets TMPDIR to a folder in memory.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "compeer-fuzz-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, creating its folder if needed, and returns its path. Uses stdio because streams are slower.
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    const auto file = path_ / name;
    if (!is_directory(file.parent_path())) std::filesystem::create_directories(file.parent_path());
    std::FILE* out = std::fopen(file.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), out);
    std::fclose(out);
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace compeer::fuzz
