// Implements the Chat that plugins get: stored answers first, then requests to the chat plugin, each sent once.
#include "plugin/cached_chat.h"

#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <thread>

#include "base/error.h"
#include "plugin/guard.h"
#include "spec/text.h"

namespace compeer::plugin {

namespace {

// Requests claimed by this thread; the destructor releases them.
class Claims {
 public:
  explicit Claims(AnswerStore& store) : store_(store) {}
  ~Claims() {
    for (const auto& key : keys_) store_.release(key);
  }
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  bool take(const AnswerKey& key) {
    if (!store_.claim(key)) return false;
    keys_.push_back(key);
    return true;
  }

 private:
  AnswerStore& store_;
  std::vector<AnswerKey> keys_;
};

// Describes an answer that could not be parsed, for an error message.
std::string described(const ChatRequest& request, const std::string& answer, bool cut_off) {
  constexpr size_t most = 160;
  const bool blank = answer.find_first_not_of(" \t\r\n") == std::string::npos;
  std::string text = blank ? cut_off ? "no text" : "an empty answer" : "'" + spec::printable(answer, most) + "'";
  if (cut_off) text += " (cut off at max_tokens = " + std::to_string(request.max_tokens) + ")";
  return text;
}

// Estimates the number of tokens: one per four ASCII characters or other character.
int64_t tokens_in(const std::string& text) {
  int64_t letters = 0, characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    letters += byte < 0x80;
    characters += byte >= 0xc0;
  }
  return (letters + 3) / 4 + characters;
}

}  // namespace

CachedChat::CachedChat(Plugin<ChatModel> plugin, const Settings& settings, const Services& services)
    : plugin_(std::move(plugin)),
      settings_(settings.json()),
      services_(services),
      model_(plugin_.call("model", [](const ChatModel& chat) { return chat.model(); })),
      is_instant_(plugin_.call("is_instant", [](const ChatModel& chat) { return chat.is_instant(); })),
      is_async_(plugin_.call("is_async", [](const ChatModel& chat) { return chat.is_async(); })),
      queue_(plugin_, services.cancelled) {}

AnswerStore* CachedChat::store() const { return is_instant_ ? nullptr : services_.answers; }

void CachedChat::answer(const std::vector<ChatRequest>& requests, const OnReply& arrived) {
  for (const auto& request : requests) {
    if (request.turns.empty() || request.turns.back().role != "user") {
      throw Error("a chat request", "does not end with a turn of the user", "", Exit::plugin);
    }
  }
  auto open = different(requests);
  if (services_.chat_counts)
    services_.chat_counts->known += static_cast<int64_t>(requests.size()) - static_cast<int64_t>(open.size());
  if (!store()) {
    if (!open.empty()) ask(open, requests, arrived);
    return;
  }
  open = unknown(std::move(open), requests, arrived);
  announce(open, requests);
  while (!open.empty()) {
    const size_t before = open.size();
    ask_unclaimed(open, requests, arrived);
    if (open.size() == before) PluginLock::release_during([&] { wait(); });  // until others have answered the rest
  }
}

void CachedChat::unreadable(const ChatRequest& request, const std::string& answer, bool again) {
  const AnswerKey key(answerer(), request);
  const auto stored = store() ? store()->find(key, request) : std::nullopt;
  if (auto* counts = services_.chat_counts) {
    ++(again ? counts->retried : counts->malformed);
    if (!again) counts->unreadable.add(described(request, answer, stored && !stored->finished));
  }
  if (store()) store()->mark_malformed(key, request);
}

std::vector<CachedChat::DistinctRequest> CachedChat::different(const std::vector<ChatRequest>& requests) {
  std::vector<DistinctRequest> questions;
  std::map<std::string, size_t> first;
  for (size_t i = 0; i < requests.size(); ++i) {
    AnswerKey key(answerer(), requests[i]);
    const auto [same, is_new] = first.emplace(key.truncated, questions.size());
    if (is_new) questions.push_back({std::move(key), {}});
    questions[same->second].places.push_back(i);
  }
  return questions;
}

// Delivers stored answers; returns the other questions.
std::vector<CachedChat::DistinctRequest> CachedChat::unknown(std::vector<DistinctRequest> questions,
                                                             const std::vector<ChatRequest>& requests,
                                                             const OnReply& arrived) {
  std::vector<DistinctRequest> open;
  for (auto& question : questions) {
    const auto reply = store()->find(question.key, requests[question.places.front()]);
    if (!reply) {
      open.push_back(std::move(question));
      continue;
    }
    if (services_.chat_counts) ++services_.chat_counts->known;
    for (const size_t place : question.places) arrived(place, *reply);
  }
  return open;
}

void CachedChat::ask_unclaimed(std::vector<DistinctRequest>& open, const std::vector<ChatRequest>& requests,
                               const OnReply& arrived) {
  Claims claims(*store());
  std::vector<DistinctRequest> mine, others;
  for (auto& question : open) {
    (claims.take(question.key) ? mine : others).push_back(std::move(question));
  }
  store()->refresh();  // others may have stored answers meanwhile
  mine = unknown(std::move(mine), requests, arrived);
  if (!mine.empty()) {
    ask(mine, requests, arrived);
    store()->flush();
  }
  open = std::move(others);
}

void CachedChat::wait() const {
  if (services_.cancelled && services_.cancelled())
    throw Error("", "stopped on request, while another process sends the same request",
                "run the same command again to continue", Exit::preempted);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void CachedChat::announce(const std::vector<DistinctRequest>& questions, const std::vector<ChatRequest>& requests) {
  if (questions.empty() || !services_.before_asking) return;
  Announcement one{model_, requests.size(), questions.size(), 0};
  for (const auto& question : questions) {
    for (const Turn& turn : requests[question.places.front()].turns) one.tokens += tokens_in(turn.text);
  }
  services_.before_asking(one);
}

void CachedChat::ask(const std::vector<DistinctRequest>& questions, const std::vector<ChatRequest>& requests,
                     const OnReply& arrived) {
  std::vector<ChatRequest> open;
  for (const auto& question : questions) open.push_back(requests[question.places.front()]);
  // `arrived` must run on the caller's thread and with its PluginLock held, so replies are delivered after `answer`.
  std::deque<std::pair<size_t, ChatReply>> untold;
  const auto tell = [&] {
    while (!untold.empty()) {
      const auto [n, reply] = std::move(untold.front());
      untold.pop_front();
      for (const size_t place : questions[n].places) arrived(place, reply);
    }
  };
  std::exception_ptr failure;
  PluginLock::release_during([&] {
    try {
      queue_.answer(open, [&](size_t n, ChatReply reply) {
        untold.emplace_back(n, kept(questions[n].key, open[n], std::move(reply)));
      });
    } catch (...) {
      failure = std::current_exception();
    }
  });
  tell();
  if (failure) std::rethrow_exception(failure);
}

ChatReply CachedChat::kept(const AnswerKey& key, const ChatRequest& request, ChatReply reply) {
  if (auto* counts = services_.chat_counts) {
    ++counts->asked;
    if (!reply.failure.empty()) ++counts->failed, counts->failures.add(reply.failure);
    counts->prompt_tokens += reply.prompt_tokens;
    counts->completion_tokens += reply.completion_tokens;
    counts->cost += reply.cost;
  }
  tell(reply.failure);
  if (store() && reply.failure.empty()) reply = store()->keep(key, plugin_.identity().title(), model_, request, reply);
  const std::lock_guard lock(mutex_);
  if (store() && services_.on_reply) services_.on_reply(model_, reply);
  return reply;
}

void CachedChat::tell(const std::string& failure) {
  constexpr size_t most_told = 3;
  if (failure.empty() || !services_.log) return;
  const std::lock_guard lock(mutex_);
  if (told_.size() == most_told || !told_.insert(failure).second) return;
  const auto& self = plugin_.identity();
  services_.log(self.kind + "/" + self.name, model_ + ": no answer to a request: " + failure);
}

const std::string& CachedChat::answerer() {
  const std::lock_guard lock(mutex_);
  if (answerer_.empty()) {
    using nlohmann::json;
    const auto said = plugin_.call("cache_key", [](const ChatModel& chat) { return chat.cache_key(); });
    json rest = said.empty() ? json{settings_, services_.seed} : json(said);
    const bool usual = services_.compute == "float32" && services_.device == "cpu";
    if (!is_async_ && !usual) rest = {rest, services_.compute, services_.device};
    answerer_ =
        json::array({plugin_.identity().title(), model_, rest}).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return answerer_;
}

}  // namespace compeer::plugin
