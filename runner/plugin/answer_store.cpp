// Implements the persistent cache of chat models' answers.
#include "plugin/answer_store.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"

namespace compeer::plugin {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

// Replaces invalid UTF-8, because texts from outside may contain any bytes.
template <class Json>
std::string line_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Hashes the contents, because a picture may change under the same name.
json pictures_of(const Turn& turn) {
  json all = json::array();
  for (const auto& file : turn.pictures) {
    std::error_code none;
    all.push_back(fs::is_regular_file(file, none) ? sha256_file(file) : file);
  }
  return all;
}

json question_of(const std::string& who, const ChatRequest& request) {
  json turns = json::array();
  for (const Turn& turn : request.turns) {
    turns.push_back({turn.role, turn.text});
    if (!turn.pictures.empty()) turns.back().push_back(pictures_of(turn));
  }
  json question = {who, turns, request.temperature, request.sample_index};
  if (!request.choices.empty()) question.push_back(request.choices);
  if (request.want_log_probs) question.push_back("weigh");
  return question;
}

json turns_of(const ChatRequest& request) {
  json turns = json::array();
  for (const Turn& turn : request.turns) {
    turns.push_back({{"role", turn.role}, {"text", turn.text}});
    if (!turn.pictures.empty()) turns.back()["pictures"] = turn.pictures;
  }
  return turns;
}

ChatReply reply_of(const json& line) {
  ChatReply reply;
  reply.text = line.at("text").get<std::string>();
  reply.finished = line.at("finished").get<bool>();
  reply.prompt_tokens = get_integer<int64_t>(line.at("prompt_tokens"));
  reply.completion_tokens = get_integer<int64_t>(line.at("completion_tokens"));
  reply.served = line.value("served", "");
  reply.cost = line.value("cost", 0.0);
  reply.log_probs = line.value("log_probs", std::vector<double>());
  return reply;
}

int64_t now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// The lock on the byte of `claims` that belongs to a request.
struct flock byte_of(const AnswerKey& key, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(std::stoull(key.complete.substr(0, 15), nullptr, 16));
  lock.l_len = 1;
  return lock;
}

}  // namespace

AnswerKey::AnswerKey(const std::string& who, const ChatRequest& request) {
  json question = question_of(who, request);
  complete = sha256(line_of(question));
  question.push_back({{"cut", request.max_tokens}});
  truncated = sha256(line_of(question));
}

AnswerStore::AnswerStore(fs::path folder, Log log) : folder_(std::move(folder)), log_(std::move(log)) {}

AnswerStore::~AnswerStore() {
  if (claims_ >= 0) ::close(claims_);
}

void AnswerStore::open() {
  if (opened_) return;
  opened_ = true;
  read_others();
}

void AnswerStore::own() {
  if (own_) return;
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) throw Error(folder_.string(), "can't be created: " + code.message(), "", Exit::failure);
  const auto claims = folder_ / "claims";
  claims_ = ::open(claims.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (claims_ < 0)
    throw Error(claims.string(), std::string("can't be opened: ") + std::strerror(errno), "", Exit::failure);
  auto file = AnswerFile::to_add_to(folder_, log_);
  std::erase_if(files_,
                [&](const auto& other) { return file->same_as(other->path()) && other->same_as(file->path()); });
  read_on(*file);
  own_ = file.get();
  files_.push_back(std::move(file));
}

void AnswerStore::read_others() {
  for (const auto& path : answer_files(folder_)) {
    const bool known =
        std::any_of(files_.begin(), files_.end(), [&](const auto& file) { return file->path() == path; });
    if (!known) files_.push_back(std::make_unique<AnswerFile>(path));
  }
  for (const auto& file : files_) {
    if (file.get() != own_) read_on(*file);
  }
}

void AnswerStore::read_on(AnswerFile& file) {
  const auto take = [&](AnswerLine line) {
    if (line.malformed) {
      malformed_.insert(std::move(line.key));
    } else {
      places_[std::move(line.key)] = {&file, line.offset, line.length};
    }
  };
  file.read_on(take, log_);
}

std::optional<AnswerStore::Stored> AnswerStore::stored(const std::string& key) {
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  const EntryAt place = found->second;
  try {
    const auto line = json::parse(place.file->at(place.offset, place.length));
    return Stored{reply_of(line), get_integer<int64_t>(line.at("max_tokens"))};
  } catch (const json::exception&) {
    if (log_) log_(place.file->path().string() + ": the answer " + key + " is damaged and is ignored");
    places_.erase(found);
    return std::nullopt;
  }
}

bool AnswerStore::fits(const std::string& key, const ChatRequest& request, ChatReply& reply) {
  const auto found = stored(key);
  if (!found) return false;
  reply = found->reply;
  const bool short_enough = reply.completion_tokens > 0 && reply.completion_tokens <= request.max_tokens;
  return found->max_tokens <= request.max_tokens || short_enough;
}

std::optional<ChatReply> AnswerStore::find(const AnswerKey& key, const ChatRequest& request) {
  const std::lock_guard lock(mutex_);
  open();
  ChatReply reply;
  if (fits(key.complete, request, reply) || fits(key.truncated, request, reply)) return reply;
  return std::nullopt;
}

void AnswerStore::refresh() {
  const std::lock_guard lock(mutex_);
  read_others();
}

bool AnswerStore::claim(const AnswerKey& key) {
  const std::lock_guard lock(mutex_);
  own();
  if (!held_.insert(key.complete).second) return false;  // claimed by another thread
  auto byte = byte_of(key, F_WRLCK);
  // On a file system without locks, at worst an answer is paid for twice.
  if (::fcntl(claims_, F_OFD_SETLK, &byte) == 0 || (errno != EAGAIN && errno != EACCES)) return true;
  held_.erase(key.complete);
  return false;
}

void AnswerStore::release(const AnswerKey& key) {
  const std::lock_guard lock(mutex_);
  held_.erase(key.complete);
  auto byte = byte_of(key, F_UNLCK);
  ::fcntl(claims_, F_OFD_SETLK, &byte);
}

ChatReply AnswerStore::keep(const AnswerKey& key, const std::string& who, const std::string& model,
                            const ChatRequest& request, const ChatReply& reply) {
  const std::lock_guard lock(mutex_);
  own();
  const std::string& name = reply.finished ? key.complete : key.truncated;
  ordered_json line = {{"key", name},
                       {"model", model},
                       {"served", reply.served},
                       {"who", who},
                       {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
                       {"turns", turns_of(request)},
                       {"temperature", request.temperature},
                       {"max_tokens", request.max_tokens},
                       {"draw", request.sample_index},
                       {"text", reply.text},
                       {"finished", reply.finished},
                       {"prompt_tokens", reply.prompt_tokens},
                       {"completion_tokens", reply.completion_tokens},
                       {"cost", reply.cost}};
  if (!reply.log_probs.empty()) line["log_probs"] = reply.log_probs;
  const auto bytes = line_of(line);
  places_[name] = {own_, own_->add(bytes), bytes.size()};
  malformed_.erase(name);
  if (now() - synced_ >= 20) sync();
  return reply_of(json::parse(bytes));
}

void AnswerStore::mark_malformed(const AnswerKey& key, const ChatRequest& request) {
  const std::lock_guard lock(mutex_);
  open();
  ChatReply ignored;
  for (const auto& name : {key.complete, key.truncated}) {
    if (!fits(name, request, ignored)) continue;
    if (!malformed_.insert(name).second) return;
    own();
    own_->add(R"({"key":")" + name + R"(","malformed":true})");
    return;
  }
}

void AnswerStore::flush() {
  const std::lock_guard lock(mutex_);
  if (own_) sync();
}

void AnswerStore::sync() {
  own_->sync();
  synced_ = now();
}

size_t AnswerStore::size() {
  const std::lock_guard lock(mutex_);
  open();
  return places_.size();
}

}  // namespace compeer::plugin
