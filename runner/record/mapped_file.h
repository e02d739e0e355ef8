#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

#include "base/error.h"

namespace compeer::record {

enum class Access {
  read,
  copy_on_write  ///< the memory is writable; the file is not changed
};

/// A memory-mapped file. The system reads the bytes when they are first accessed; if that fails, the access raises
/// SIGBUS: see find_mapped_fault().
class MappedFile {
 public:
  /// Throws Error (exit 4) if the file can't be opened or is no regular file, (exit 1) if the system fails.
  explicit MappedFile(const std::filesystem::path& file, Access access = Access::read);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  /// With Access::read: returns the memory to the system, which reads the bytes again when they are accessed.
  void release() const;

 private:
  std::span<const std::byte> bytes_;
  Access access_;
};

/// The reason why an access to a mapped file raised SIGBUS.
struct MappedFault {
  const char* file;  ///< path, valid until the next call; null if no file is mapped at the address
  const char* what;  ///< a constant, as is `help`
  const char* help;
  Exit exit;  ///< Exit::failure: a read failed; Exit::data: the file was truncated
};

/// Determines the fault at an address, for SIGBUS handlers; also for files mapped by plugins and libraries.
/// Async-signal-safe, but not thread-safe.
MappedFault find_mapped_fault(const void* address);

/// Writes "compeer: <who><file>: <what>" and the help to standard error. Async-signal-safe.
void write_mapped_fault(const MappedFault& fault, const char* who);

}  // namespace compeer::record
