#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

#include "base/error.h"

/// Memory-mapped files, such as model weights. The system reads their bytes when they are first accessed. If that
/// fails, the access raises SIGBUS; the functions below find and print the cause in a signal handler.
namespace compeer::record {

/// Access to the memory of a mapped file.
enum class Access {
  read,          ///< read-only
  copy_on_write  ///< the memory is writable; the file is not changed
};

/// A memory-mapped file. The destructor unmaps it.
class MappedFile {
 public:
  /// Maps the whole file. Throws Error (exit code 4: invalid data) if it can't be opened or is not a regular file,
  /// (exit code 1: a failure of the system) if the system fails.
  explicit MappedFile(const std::filesystem::path& file, Access access = Access::read);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// Returns the contents; valid until the object is destroyed, also after it is moved. With Access::copy_on_write the
  /// memory may be changed through a const_cast.
  std::span<const std::byte> bytes() const { return bytes_; }

  /// With Access::read: returns the physical memory to the system, which reads the bytes again when they are accessed.
  /// Otherwise does nothing.
  void release() const;

 private:
  std::span<const std::byte> bytes_;
  Access access_;
};

/// The reason why an access to a mapped file raised SIGBUS.
struct MappedFault {
  /// Path, valid until the next call of find_mapped_fault(); null if no file is mapped at the address.
  const char* file;
  const char* what;  ///< the problem, such as "was truncated while in use"; valid until the process ends
  const char* help;  ///< advice for the user; valid until the process ends
  Exit exit;  ///< exit code for the process: Exit::failure if a read failed, Exit::data if the file was truncated
};

/// Determines the cause of a SIGBUS at an address, for signal handlers; also for files mapped by plugins and libraries.
/// Async-signal-safe, but not thread-safe.
MappedFault find_mapped_fault(const void* address);

/// Writes "compeer: <prefix><file>: <what>" and the help to standard error. `fault.file` must not be null.
/// Async-signal-safe.
void write_mapped_fault(const MappedFault& fault, const char* prefix);

}  // namespace compeer::record
