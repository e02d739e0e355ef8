#include "plugin/chat_memory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace compeer::plugin {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Texts from outside may hold any bytes; JSON is UTF-8.
std::string line_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json to_json(const ChatReply& reply) {
  return {{"text", reply.text},
          {"finished", reply.finished},
          {"prompt_tokens", reply.prompt_tokens},
          {"completion_tokens", reply.completion_tokens}};
}

ChatReply to_reply(const json& line) {
  ChatReply reply;
  reply.text = line.at("text").get<std::string>();
  reply.finished = line.at("finished").get<bool>();
  reply.prompt_tokens = whole<int64_t>(line.at("prompt_tokens"));
  reply.completion_tokens = whole<int64_t>(line.at("completion_tokens"));
  return reply;
}

int64_t now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::vector<fs::path> others(const fs::path& folder, const fs::path& own) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl" && entry.path() != own)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

struct ChatMemory::File {
  File(fs::path file, int flags) : path(std::move(file)), fd(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd < 0) fail("can't be opened");
  }
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[noreturn]] void fail(const std::string& what, const std::string& help = "") const {
    throw Error(path.string(), what + ": " + std::strerror(errno), help, Exit::failure);
  }

  std::string read(uint64_t offset, uint64_t length) const {
    std::string bytes(length, '\0');
    for (uint64_t done = 0; done < length;) {
      const ssize_t n = ::pread(fd, bytes.data() + done, length - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("can't be read");
      if (n == 0) throw Error(path.string(), "became shorter while it was in use", "", Exit::data);
      done += static_cast<uint64_t>(n);
    }
    return bytes;
  }

  // Whole or not at all: what a full disk left of a line is taken back.
  void write(uint64_t offset, const std::string& bytes) const {
    for (uint64_t done = 0; done < bytes.size();) {
      const ssize_t n = ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const int cause = errno;
        cut(offset);
        errno = cause;
        fail("an answer can't be written", "those before it are kept: make room, then go on with the run");
      }
      done += static_cast<uint64_t>(n);
    }
  }

  bool cut(uint64_t size) const { return ::ftruncate(fd, static_cast<off_t>(size)) == 0; }

  fs::path path;
  int fd;
};

ChatMemory::ChatMemory(fs::path folder, const std::string& own, const Log& log) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Error(folder.string(), "can't be made: " + code.message(), "", Exit::failure);
  const auto mine = folder / (own + ".jsonl");
  files_.push_back(std::make_unique<File>(mine, O_RDWR | O_CREAT));
  if (::flock(files_[0]->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(mine.string(), "another process is adding to it", "wait for the other run in this folder to end",
                Exit::data);
  }
  sync_folder(folder);
  for (const auto& path : others(folder, mine)) files_.push_back(std::make_unique<File>(path, O_RDONLY));
  for (size_t i = 0; i < files_.size(); ++i) read(i, log);
  if (!files_[0]->cut(end_)) files_[0]->fail("can't be written");
}

ChatMemory::~ChatMemory() = default;

void ChatMemory::read(size_t file, const Log& log) {
  const auto bytes = read_file(files_[file]->path);
  uint64_t number = 0;
  for (uint64_t begin = 0; begin < bytes.size();) {
    const auto end = bytes.find('\n', begin);
    const bool whole = end != std::string::npos;
    const uint64_t length = (whole ? end : bytes.size()) - begin;
    ++number;
    try {
      if (!whole) throw std::runtime_error("is cut off");
      const auto line = json::parse(bytes.substr(begin, length));
      to_reply(line);  // throws what `find` would
      lines_.try_emplace(line.at("key").get<std::string>(), Line{file, begin, length});
    } catch (const std::exception&) {
      const auto what = whole ? "is damaged and left out" : "is cut off and left out, as after a kill";
      if (log) log(files_[file]->path.string() + ":" + std::to_string(number) + ": this answer " + what);
    }
    if (whole && file == 0) end_ = end + 1;
    begin += length + 1;
  }
}

std::string ChatMemory::key(const std::string& who, const ChatRequest& request) {
  auto turns = json::array();
  for (const auto& turn : request.turns) {
    turns.push_back({turn.role, turn.text});
    if (!turn.pictures.empty()) turns.back().push_back(turn.pictures);
  }
  return sha256(line_of({who, turns, request.temperature, request.max_tokens, request.draw}));
}

std::optional<ChatReply> ChatMemory::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(key);
  if (found == lines_.end()) return {};
  const Line& line = found->second;
  return to_reply(json::parse(files_[line.file]->read(line.offset, line.length)));
}

ChatReply ChatMemory::keep(const std::string& key, const std::string& who, const ChatReply& reply) {
  const std::lock_guard lock(mutex_);
  auto line = to_json(reply);
  line["key"] = key;
  line["who"] = who;
  const auto bytes = line_of(line);
  files_[0]->write(end_, bytes + "\n");
  lines_.try_emplace(key, Line{0, end_, bytes.size()});
  end_ += bytes.size() + 1;
  if (now() - synced_ >= 20) sync();
  return to_reply(json::parse(bytes));
}

void ChatMemory::flush() {
  const std::lock_guard lock(mutex_);
  sync();
}

void ChatMemory::sync() {
  if (::fdatasync(files_[0]->fd) != 0) {
    files_[0]->fail("answers can't be made durable", "make room, then go on with the run");
  }
  synced_ = now();
}

size_t ChatMemory::size() const {
  const std::lock_guard lock(mutex_);
  return lines_.size();
}

}  // namespace compeer::plugin
