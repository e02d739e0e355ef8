#include "record/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "base/disk.h"
#include "base/reading.h"

namespace compeer::record {

namespace {

// A handler may look at any time: `start` is set last and cleared first.
struct Mapping {
  std::atomic<const std::byte*> start{nullptr};
  size_t size = 0;
  char* file = nullptr;
};
std::array<Mapping, 1024> mappings;
std::mutex changing;
const std::string disk_remedy = remedy_of_write(EIO);  // for handlers, which may not allocate

void remember(std::span<const std::byte> bytes, const std::filesystem::path& file) {
  std::error_code code;
  const auto whole = std::filesystem::absolute(file, code);
  const std::lock_guard lock(changing);
  for (auto& one : mappings) {
    if (one.start) continue;
    one.size = bytes.size();
    one.file = ::strdup((code ? file : whole).c_str());
    one.start = bytes.data();
    return;
  }
}

void forget(std::span<const std::byte> bytes) {
  const std::lock_guard lock(changing);
  for (auto& one : mappings) {
    if (one.start != bytes.data()) continue;
    one.start = nullptr;
    std::free(std::exchange(one.file, nullptr));
    return;
  }
}

}  // namespace

MappedFault find_mapped_fault(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  for (const auto& one : mappings) {
    const std::byte* const start = one.start;
    if (!start || at < start || at >= start + one.size) continue;
    struct stat status {};
    if (::stat(one.file, &status) == 0 && status.st_size <= at - start)
      return {one.file, "became shorter while it was in use", "write the file again, then resume", Exit::data};
    return {one.file, "can't be read: Input/output error", disk_remedy.c_str(), Exit::failure};
  }
  return {};
}

MappedFile::MappedFile(const std::filesystem::path& file, Access access) : access_(access) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw read_error(file, errno);
  struct stat status {};
  int cause = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  if (!cause && !S_ISREG(status.st_mode)) cause = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  if (!cause && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
    void* start = ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    if (start == MAP_FAILED)
      cause = errno;
    else
      remember(bytes_ = {static_cast<const std::byte*>(start), size}, file);
  }
  ::close(descriptor);
  if (cause) throw read_error(file, cause);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})), access_(other.access_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(access_, other.access_);
  return *this;
}

void MappedFile::release() const {
  if (access_ == Access::read && !bytes_.empty())
    ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  forget(bytes_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace compeer::record
