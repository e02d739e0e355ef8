#include "plugin/remembered_chat.h"

#include <chrono>
#include <exception>
#include <map>
#include <thread>

#include "base/error.h"
#include "plugin/calls.h"

namespace compeer::plugin {

namespace {

// Questions that nobody else will ask while this one lives.
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

// A guess: about four letters of a European language, or one character of Chinese.
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

RememberedChat::RememberedChat(Plugin<Chat> plugin, const Settings& settings, const Services& services)
    : plugin_(std::move(plugin)),
      settings_(settings.json()),
      services_(services),
      free_(plugin_.call("free", [](const Chat& chat) { return chat.free(); })) {}

AnswerStore* RememberedChat::store() const { return free_ ? nullptr : services_.answers; }

void RememberedChat::answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) {
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
    ask_those_nobody_asks(open, requests, arrived);
    if (open.size() == before) wait();  // for those who ask the rest
  }
}

std::string RememberedChat::model() const {
  return plugin_.call("model", [](const Chat& chat) { return chat.model(); });
}

void RememberedChat::unreadable(const ChatRequest& request, const std::string& answer, bool again) {
  if (auto* counts = services_.chat_counts) counts->note_unreadable(answer, again);
  const AnswerKey key(answerer(), request);
  if (store()) store()->mark_malformed(key, request);
}

std::vector<RememberedChat::RememberedRequest> RememberedChat::different(const std::vector<ChatRequest>& requests) {
  std::vector<RememberedRequest> questions;
  std::map<std::string, size_t> first;
  for (size_t i = 0; i < requests.size(); ++i) {
    AnswerKey key(answerer(), requests[i]);
    const auto [same, is_new] = first.emplace(key.cut, questions.size());
    if (is_new) questions.push_back({std::move(key), {}});
    questions[same->second].places.push_back(i);
  }
  return questions;
}

// Delivers what is stored; the rest is open.
std::vector<RememberedChat::RememberedRequest> RememberedChat::unknown(std::vector<RememberedRequest> questions,
                                                                       const std::vector<ChatRequest>& requests,
                                                                       const Arrived& arrived) {
  std::vector<RememberedRequest> open;
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

void RememberedChat::ask_those_nobody_asks(std::vector<RememberedRequest>& open,
                                           const std::vector<ChatRequest>& requests, const Arrived& arrived) {
  Claims claims(*store());
  std::vector<RememberedRequest> mine, others;
  for (auto& question : open) {
    (claims.take(question.key) ? mine : others).push_back(std::move(question));
  }
  store()->refresh();  // others may have been faster
  mine = unknown(std::move(mine), requests, arrived);
  if (!mine.empty()) {
    ask(mine, requests, arrived);
    store()->flush();
  }
  open = std::move(others);
}

void RememberedChat::wait() const {
  if (services_.cancelled && services_.cancelled())
    throw Error("", "stopped while another process asks the same, as asked", "the same command goes on",
                Exit::preempted);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void RememberedChat::announce(const std::vector<RememberedRequest>& questions,
                              const std::vector<ChatRequest>& requests) {
  if (questions.empty() || !services_.before_asking) return;
  Announcement one{model(), requests.size(), questions.size(), 0};
  for (const auto& question : questions) {
    for (const Turn& turn : requests[question.places.front()].turns) one.tokens += tokens_in(turn.text);
  }
  services_.before_asking(one);
}

void RememberedChat::ask(const std::vector<RememberedRequest>& questions, const std::vector<ChatRequest>& requests,
                         const Arrived& arrived) {
  std::vector<ChatRequest> open;
  for (const auto& question : questions) open.push_back(requests[question.places.front()]);
  std::exception_ptr ours;  // out of the store, or of whoever asked: the plugin is not to be blamed for it
  const auto taken = [&](size_t n, ChatReply reply) {
    try {
      take(questions[n], open[n], std::move(reply), arrived);
    } catch (...) {
      ours = std::current_exception();
      throw;
    }
  };
  try {
    plugin::answer(plugin_, open, taken, services_.cancelled);
  } catch (...) {
    if (!ours) throw;
  }
  if (ours) std::rethrow_exception(ours);
}

void RememberedChat::take(const RememberedRequest& question, const ChatRequest& request, ChatReply reply,
                          const Arrived& arrived) {
  if (auto* counts = services_.chat_counts) {
    ++counts->asked;
    if (!reply.failure.empty()) ++counts->failed;
    counts->prompt_tokens += reply.prompt_tokens;
    counts->completion_tokens += reply.completion_tokens;
    counts->cost += reply.cost;
  }
  tell(reply.failure);
  if (store() && reply.failure.empty())
    reply = store()->keep(question.key, plugin_.identity().title(), model(), request, reply);
  if (store() && services_.paid) services_.paid(model(), reply);
  for (const size_t place : question.places) arrived(place, reply);
}

void RememberedChat::tell(const std::string& failure) {
  constexpr size_t most_told = 3;
  if (failure.empty() || told_.size() == most_told || !told_.insert(failure).second || !services_.log) return;
  const auto& self = plugin_.identity();
  services_.log(self.kind + "/" + self.name, model() + ": no answer to a request: " + failure);
}

const std::string& RememberedChat::answerer() {
  if (answerer_.empty()) {
    using nlohmann::json;
    const auto said = plugin_.call("origin", [](const Chat& chat) { return chat.origin(); });
    const json rest = said.empty() ? json{settings_, services_.seed} : json(said);
    answerer_ =
        json::array({plugin_.identity().title(), model(), rest}).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return answerer_;
}

}  // namespace compeer::plugin
