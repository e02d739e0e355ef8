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

MappedFile::MappedFile(const std::filesystem::path& file) {
  auto fail = [&](int cause) {
    throw Error(file.string(), fmt::format("can't be read: {}", std::strerror(cause)), "", Exit::data);
  };
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(errno);
  struct stat status {};
  int cause = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  if (!cause && !S_ISREG(status.st_mode)) cause = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  if (!cause && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (start == MAP_FAILED)
      cause = errno;
    else
      bytes_ = {static_cast<const std::byte*>(start), size};
  }
  ::close(descriptor);
  if (cause) fail(cause);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace compeer::record
