#pragma once
#include <filesystem>

/// Advisory locks that allow one writer per file, such as the log of a run. Readers do not take them.
namespace compeer::record {

/// Write lock on a file. Released by the destructor, and by the system when the process ends in any way.
class WriterLock {
 public:
  WriterLock() = default;  ///< locks nothing
  /// Locks an existing file without waiting. Throws Error (exit code 4: unusable data) if another WriterLock holds it,
  /// in any process, (exit code 1: a failure of the system) if the disk fails. Locks nothing on file systems without
  /// locks, and if the file does not exist or can't be opened for writing.
  explicit WriterLock(const std::filesystem::path& file);
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();

 private:
  int descriptor_ = -1;  ///< open file descriptor that owns the lock; -1: locks nothing
};

/// True if a WriterLock of any process on this machine holds the file. False if the file can't be opened.
bool is_locked(const std::filesystem::path& file);

}  // namespace compeer::record
