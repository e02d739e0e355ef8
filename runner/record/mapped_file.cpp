#include "record/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace compeer::record {

MappedFile::MappedFile(const std::filesystem::path& file, Access access) : access_(access) {
  auto fail = [&](int cause) {
    throw Error(file.string(), fmt::format("can't be read: {}", std::strerror(cause)), "", Exit::data);
  };
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(errno);
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
      bytes_ = {static_cast<const std::byte*>(start), size};
  }
  ::close(descriptor);
  if (cause) fail(cause);
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
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace compeer::record
