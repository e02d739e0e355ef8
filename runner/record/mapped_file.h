#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

#include "base/error.h"

namespace compeer::record {

enum class Access {
  read,
  copy_on_write  ///< the bytes may be written to; the file never sees it
};

/// A file's bytes, read by the system when they are first accessed. Throws Error naming the file: exit 4, or exit 1 if
/// the system failed. A read that fails on access raises SIGBUS: see find_mapped_fault().
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

/// Why an access to a mapped file raised SIGBUS.
struct MappedFault {
  const char* file;  ///< path, valid until the next call; null if no file is mapped at the address
  const char* what;  ///< a constant, as is `help`
  const char* help;
  Exit exit;  ///< failure: the system failed to read; data: the file became shorter
};

/// The fault at an address, for handlers of SIGBUS; also of files that plugins and libraries mapped. Async-signal-safe;
/// one thread at a time.
MappedFault find_mapped_fault(const void* address);

/// Writes "compeer: WHOfile: what" and the help to standard error. Async-signal-safe.
void write_mapped_fault(const MappedFault& fault, const char* who);

}  // namespace compeer::record
