#pragma once
#include <filesystem>

/// One writer per file. The lock belongs to the process and goes when it ends, however it ends. Readers don't ask.
namespace compeer::record {

class WriterLock {
 public:
  WriterLock() = default;
  /// Locks an existing file. Throws Error (exit 4) if another process is writing it; on file systems without locks
  /// it does nothing.
  explicit WriterLock(const std::filesystem::path& file);
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();

 private:
  int descriptor_ = -1;
};

/// True if a process on this machine has the file open for writing.
bool being_written(const std::filesystem::path& file);

}  // namespace compeer::record
