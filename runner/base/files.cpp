// Reading and writing of whole files: writes are atomic and durable, errors say what to do about them.
#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/disk.h"

namespace compeer {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& file, const char* what) {
  const int cause = errno;
  throw Error(file.string(), fmt::format("{}: {}", what, std::strerror(cause)), write_error_help(cause), Exit::failure);
}

class FileDescriptor {
 public:
  FileDescriptor(const std::filesystem::path& file, int flags)
      : file_(file), fd_(::open(file.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail_to_write(file_, "can't be opened");
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_to_write(file_, "can't be written");
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }
  void sync() {
    if (::fsync(fd_) != 0 && errno != EINVAL) fail_to_write(file_, "can't be flushed to disk");
  }

 private:
  std::filesystem::path file_;
  int fd_;
};

void write_durably(const std::filesystem::path& file, const std::function<void(const WritePiece&)>& make) {
  FileDescriptor out(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  make([&out](std::string_view piece) { out.write(piece); });
  out.sync();
}

}  // namespace

std::string why_no_file(const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::is_regular_file(file, code)) return "";
  return std::filesystem::exists(file, code) ? "is not a regular file" : "does not exist";
}

std::string read_file(const std::filesystem::path& file, uint64_t limit) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code)) throw Error(file.string(), "is a folder, not a file", "", Exit::data);
  std::ifstream in = open_to_read(file);
  const auto check = [&](uint64_t size) {
    if (size > limit) throw Error(file.string(), fmt::format("is larger than {} bytes", limit), "", Exit::data);
  };
  if (const auto size = std::filesystem::file_size(file, code); !code) check(size);
  std::string bytes;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    bytes.append(block, static_cast<size_t>(in.gcount()));
    check(bytes.size());
  }
  check_read(in, file);
  return bytes;
}

std::string read_plain_file(const std::filesystem::path& file, uint64_t limit) {
  std::error_code code;
  const auto status = std::filesystem::status(file, code);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status))
    throw Error(file.string(), "is a pipe or a device, not a file", "", Exit::data);
  return read_file(file, limit);
}

void write_file(const std::filesystem::path& file, std::string_view bytes) { write_file(file, {&bytes, 1}); }

void write_file(const std::filesystem::path& file, std::span<const std::string_view> pieces) {
  write_in_pieces(file, [pieces](const WritePiece& write) {
    for (const auto piece : pieces) write(piece);
  });
}

void write_in_pieces(const std::filesystem::path& file, const std::function<void(const WritePiece&)>& make) {
  auto part = file;
  part += fmt::format(".{}.part", ::getpid());
  try {
    write_durably(part, make);
    if (::rename(part.c_str(), file.c_str()) != 0) fail_to_write(file, "can't be put in place");
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
  sync_folder(file.has_parent_path() ? file.parent_path() : std::filesystem::path("."));
}

void sync_file(const std::filesystem::path& file) { FileDescriptor(file, O_RDONLY).sync(); }

void sync_folder(const std::filesystem::path& folder) { FileDescriptor(folder, O_RDONLY | O_DIRECTORY).sync(); }

bool is_system_failure(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case ENXIO:
      return false;
    default:
      return true;
  }
}

Error read_error(const fs::path& file, int error) {
  const bool failed = is_system_failure(error);
  return {file.string(), std::string("can't be read: ") + std::strerror(error), failed ? write_error_help(error) : "",
          failed ? Exit::failure : Exit::data};
}

std::ifstream open_to_read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw read_error(file, errno);
  return in;
}

void check_read(const std::ifstream& in, const fs::path& file) {
  if (in.bad()) throw read_error(file, errno);
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) entries.push_back(*it);
  if (code && code != std::errc::no_such_file_or_directory && code != std::errc::not_a_directory)
    throw read_error(folder, code.value());
  return entries;
}

std::vector<fs::directory_entry> entries_below(const fs::path& folder) {
  std::vector<fs::directory_entry> all;
  for (const auto& entry : entries_of(folder)) {
    all.push_back(entry);
    if (entry.is_symlink() || !entry.is_directory()) continue;
    const auto below = entries_below(entry.path());
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

}  // namespace compeer
