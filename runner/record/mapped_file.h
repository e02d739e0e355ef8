#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

namespace compeer::record {

/// A file's bytes, read-only, brought in by the system as they are touched. Throws Error (exit 4) naming the file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& file);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace compeer::record
