#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

namespace compeer::record {

enum class Access {
  read,
  copy_on_write  ///< the bytes may be written to; the file never sees it
};

/// A file's bytes, brought in by the system as they are touched. Throws Error (exit 4) naming the file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& file, Access access = Access::read);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  /// With Access::read: gives the memory back to the system, which reads the bytes again when they are touched.
  void release() const;

 private:
  std::span<const std::byte> bytes_;
  Access access_;
};

}  // namespace compeer::record
