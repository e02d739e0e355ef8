// Implements the append-only files of the answer store.
#include "plugin/answer_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/files.h"

namespace compeer::plugin {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view opening = R"({"key":")", mark = R"(","malformed":true})";
constexpr size_t digits = 64;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool well_formed(std::string_view line) {
  const auto key = line.substr(std::min(opening.size(), line.size()), digits);
  return line.starts_with(opening) && key.size() == digits && std::all_of(key.begin(), key.end(), is_hex) &&
         line.substr(opening.size() + digits).starts_with("\",") && line.ends_with('}');
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  std::string host(name);
  std::replace_if(
      host.begin(), host.end(), [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '.'; }, '_');
  return host.empty() ? "host" : host;
}

}  // namespace

AnswerFile::AnswerFile(fs::path path, Use use)
    : path_(std::move(path)),
      fd_(::open(path_.c_str(), O_CLOEXEC | (use == Use::read ? O_RDONLY : O_RDWR) | (use == Use::add ? O_CREAT : 0),
                 0666)) {
  if (fd_ < 0) fail("can't be opened");
}

std::unique_ptr<AnswerFile> AnswerFile::to_add_to(const fs::path& folder, const Log& log) {
  const auto host = host_name();
  for (int n = 0;; ++n) {
    auto file = std::make_unique<AnswerFile>(folder / fmt::format("{}-{}.jsonl", host, n), Use::add);
    // `compeer data answers --drop` may have replaced the file since it was opened.
    if (!file->lock() || !file->same_as(file->path_)) continue;
    sync_folder(folder);
    file->read_on([](const AnswerLine&) {}, nullptr);
    struct stat status = {};
    if (::fstat(file->fd_, &status) == 0 && static_cast<uint64_t>(status.st_size) > file->end_) {
      if (log)
        log(file->path_.string() + ":" + std::to_string(file->number_ + 1) +
            ": this answer is incomplete, probably after a kill, and is ignored");
      if (!file->cut(file->end_)) file->fail("can't be written");
    }
    file->end_ = file->number_ = 0;  // the caller reads it from the beginning
    return file;
  }
}

AnswerFile::~AnswerFile() {
  if (fd_ >= 0) ::close(fd_);
}

void AnswerFile::fail(const std::string& what, const std::string& help) const {
  throw Error(path_.string(), what + ": " + std::strerror(errno), help, Exit::failure);
}

void AnswerFile::read_on(const std::function<void(AnswerLine line)>& f, const Log& log) {
  std::string bytes;  // bytes of incomplete lines
  std::string piece(size_t{1} << 20, '\0');
  for (uint64_t at = end_;;) {
    const ssize_t n = ::pread(fd_, piece.data(), piece.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("can't be read");
    if (n == 0) return;
    at += static_cast<uint64_t>(n);
    bytes.append(piece, 0, static_cast<size_t>(n));
    size_t begin = 0;
    for (size_t end = 0; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string_view line(bytes.data() + begin, end - begin);
      const uint64_t offset = end_;
      end_ += line.size() + 1;
      ++number_;
      if (well_formed(line)) {
        f({std::string(line.substr(opening.size(), digits)), line.substr(opening.size() + digits) == mark, offset,
           line.size()});
      } else if (log) {
        log(path_.string() + ":" + std::to_string(number_) + ": this answer is damaged and is ignored");
      }
    }
    bytes.erase(0, begin);
  }
}

std::string AnswerFile::at(uint64_t offset, uint64_t length) const {
  std::string bytes(length, '\0');
  for (uint64_t done = 0; done < length;) {
    const ssize_t n = ::pread(fd_, bytes.data() + done, length - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("can't be read");
    if (n == 0) throw Error(path_.string(), "was truncated while it was in use", "", Exit::data);
    done += static_cast<uint64_t>(n);
  }
  return bytes;
}

uint64_t AnswerFile::add(const std::string& line) {
  const std::string bytes = line + "\n";
  for (uint64_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(end_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int cause = errno;
      cut(end_);
      errno = cause;
      fail("an answer can't be written", "free disk space, then resume the run: earlier answers are kept");
    }
    done += static_cast<uint64_t>(n);
  }
  const uint64_t offset = end_;
  end_ += bytes.size();
  ++number_;
  return offset;
}

void AnswerFile::sync() const {
  if (::fdatasync(fd_) != 0) fail("answers can't be synced to the disk", "free disk space, then resume the run");
}

bool AnswerFile::lock() const {
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) fail("can't be locked", "write the results to a file system that supports locks");
  return false;
}

bool AnswerFile::same_as(const fs::path& other) const {
  struct stat mine = {}, theirs = {};
  return ::fstat(fd_, &mine) == 0 && ::stat(other.c_str(), &theirs) == 0 && mine.st_dev == theirs.st_dev &&
         mine.st_ino == theirs.st_ino;
}

bool AnswerFile::cut(uint64_t size) const { return ::ftruncate(fd_, static_cast<off_t>(size)) == 0; }

std::vector<fs::path> answer_files(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : entries_of(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace compeer::plugin
