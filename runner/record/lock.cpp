// Write locks by fcntl.
#include "record/lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/disk.h"
#include "base/files.h"

namespace compeer::record {

namespace {

// Open file description locks: unlike process locks, they are not released when another descriptor of the same file is
// closed, and they do not conflict with the locks (flock) that HDF5 in other programs takes for reading.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& file) : descriptor_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {
  if (descriptor_ < 0 && is_system_failure(errno))
    throw Error(file.string(), std::string("can't be opened: ") + std::strerror(errno), write_error_help(errno),
                Exit::failure);
  struct flock lock = whole_file();
  if (descriptor_ < 0 || ::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) return;
  if (errno != EAGAIN && errno != EACCES) return;
  ::close(descriptor_);
  throw Error(file.string(), "another process is writing this file", "wait until it exits, or stop it", Exit::data);
}

WriterLock::WriterLock(WriterLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

WriterLock::~WriterLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool is_locked(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && is_system_failure(errno)) throw read_error(file, errno);
  if (descriptor < 0) return false;
  struct flock lock = whole_file();
  const bool asked = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  ::close(descriptor);
  return asked && lock.l_type != F_UNLCK;
}

}  // namespace compeer::record
