#pragma once
#include <filesystem>

/// Advisory locks that allow one writer per file. Readers do not take them.
namespace compeer::record {

/// Write lock on a file. Released by the destructor, and by the system when the process ends in any way.
class WriterLock {
 public:
  WriterLock() = default;
  /// Locks an existing file. Throws Error (exit 4) if another process has locked it, (exit 1) if the disk fails. On
  /// file systems without locks, and if the file can't be opened, it does nothing.
  explicit WriterLock(const std::filesystem::path& file);
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();

 private:
  int descriptor_ = -1;
};

/// True if another WriterLock on this machine holds the file.
bool is_locked(const std::filesystem::path& file);

}  // namespace compeer::record
