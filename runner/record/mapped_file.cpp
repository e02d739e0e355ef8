// Memory-mapped files, and the explanation of SIGBUS faults in them.
#include "record/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/disk.h"
#include "base/files.h"
#include "base/signals.h"

namespace compeer::record {

namespace {

const std::string disk_remedy = write_error_help(EIO);  // precomputed, because signal handlers must not allocate

// A line of /proc/self/maps: "7f00-7f80 r--p 00001000 fe:00 1234     /a/file".
struct MapsLine {
  char text[4352];  // the longest path (4096) and the fields before it
  size_t size = 0;
};

// Reads a hexadecimal number and moves `at` past it and the next character.
uint64_t read_hex(const char*& at) {
  uint64_t number = 0;
  for (; std::isxdigit(static_cast<unsigned char>(*at)); ++at)
    number = number * 16 + static_cast<uint64_t>(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
  if (*at) ++at;
  return number;
}

// True if the line's mapping contains `address`; then sets the file's path and the offset of `address` in it.
bool covers(const MapsLine& line, uint64_t address, char* path, uint64_t& offset) {
  const char* at = line.text;
  const uint64_t start = read_hex(at), end = read_hex(at);
  if (address < start || address >= end) return false;
  at += std::min<size_t>(5, std::strlen(at));  // "r--p "
  offset = read_hex(at) + (address - start);
  const char* const name = std::strchr(at, '/');
  std::strcpy(path, name ? name : "");
  return true;
}

// Sets path and offset of the file that is mapped at `address`; path "" if there is none.
void find_mapping(uint64_t address, char* path, uint64_t& offset) {
  path[0] = '\0';
  const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char bytes[4096];
  MapsLine line;
  ssize_t got;
  while (file >= 0 && (got = ::read(file, bytes, sizeof bytes)) > 0) {
    for (ssize_t i = 0; i < got; ++i) {
      if (bytes[i] != '\n') {
        if (line.size + 1 < sizeof line.text) line.text[line.size++] = bytes[i];
        continue;
      }
      line.text[line.size] = '\0';
      line.size = 0;
      if (!covers(line, address, path, offset)) continue;
      ::close(file);
      return;
    }
  }
  if (file >= 0) ::close(file);
}

}  // namespace

MappedFault find_mapped_fault(const void* address) {
  static char path[sizeof MapsLine::text];
  uint64_t offset = 0;
  find_mapping(reinterpret_cast<uint64_t>(address), path, offset);
  // Shared memory raises SIGBUS if /dev/shm is full: not a fault of a file.
  if (!path[0] || std::strncmp(path, "/dev/", 5) == 0) return {};
  struct stat status {};
  if (::stat(path, &status) == 0 && static_cast<uint64_t>(status.st_size) <= offset)
    return {path, "was truncated while in use", "restore the file, then resume", Exit::data};
  return {path, "can't be read: Input/output error", disk_remedy.c_str(), Exit::failure};
}

void write_mapped_fault(const MappedFault& fault, const char* prefix) {
  SignalText text;
  text.add("compeer: ").add(prefix).add(fault.file).add(": ").add(fault.what);
  text.add("\n  help: ").add(fault.help).add("\n").write_to(STDERR_FILENO);
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
      bytes_ = {static_cast<const std::byte*>(start), size};
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
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace compeer::record
