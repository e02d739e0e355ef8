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

/// What fuzz targets share: the input as text, as a file and as a folder of files, and what counts as an answer.
namespace compeer::fuzz {

/// A claim of a reader that did not hold is a finding, as a crash is.
inline void expect(bool holds) {
  if (!holds) __builtin_trap();
}

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Runs `read`. An Error is a proper answer to bad input if it ends the program with one of these codes; anything else
/// that is thrown is a finding.
template <class Read>
void may_refuse(std::initializer_list<Exit> exits, Read read) {
  try {
    read();
  } catch (const Error& error) {
    expect(std::find(exits.begin(), exits.end(), error.exit()) != exits.end());
  }
}

/// One input for several files: its parts stand between lines of "====".
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

/// A file in memory, so that nothing is written to a disk millions of times.
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

/// A folder that goes with the process. run.sh says by TMPDIR that it is to be in memory.
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

  /// Not by a stream: it would take longer than what is tried.
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
