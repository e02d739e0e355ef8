#include "plugin/remembered_chat.h"

#include <exception>
#include <map>

#include "base/error.h"
#include "plugin/calls.h"

namespace compeer::plugin {

RememberedChat::RememberedChat(Plugin<Chat> plugin, const Settings& settings, const Services& services)
    : plugin_(std::move(plugin)), settings_(settings.json()), services_(services) {}

void RememberedChat::answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) {
  for (const auto& request : requests) {
    if (request.turns.empty() || request.turns.back().role != "user") {
      throw Error("a chat request", "does not end with a turn of the user", "", Exit::plugin);
    }
  }
  const auto questions = unknown(requests, arrived);
  if (questions.empty()) return;
  ask(questions, requests, arrived);
  if (services_.chat_memory) services_.chat_memory->flush();
}

std::string RememberedChat::model() const {
  return plugin_.call("model", [](const Chat& chat) { return chat.model(); });
}

// Delivers what is known already.
std::vector<RememberedChat::Question> RememberedChat::unknown(const std::vector<ChatRequest>& requests,
                                                              const Arrived& arrived) {
  std::vector<Question> questions;
  std::map<std::string, size_t> asked;
  int64_t known = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto key = ChatMemory::key(answerer(), requests[i]);
    if (const auto same = asked.find(key); same != asked.end()) {
      questions[same->second].places.push_back(i);
      ++known;
    } else if (auto reply = services_.chat_memory ? services_.chat_memory->find(key) : std::nullopt) {
      ++known;
      arrived(i, std::move(*reply));
    } else {
      asked.emplace(key, questions.size());
      questions.push_back({key, {i}});
    }
  }
  if (services_.chat_counts) services_.chat_counts->known += known;
  return questions;
}

void RememberedChat::ask(const std::vector<Question>& questions, const std::vector<ChatRequest>& requests,
                         const Arrived& arrived) {
  std::vector<ChatRequest> open;
  for (const auto& question : questions) open.push_back(requests[question.places.front()]);
  std::exception_ptr ours;  // out of the memory, or of whoever asked: the plugin is not to be blamed for it
  const auto taken = [&](size_t n, ChatReply reply) {
    try {
      take(questions[n], std::move(reply), arrived);
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

void RememberedChat::take(const Question& question, ChatReply reply, const Arrived& arrived) {
  if (auto* counts = services_.chat_counts) {
    ++counts->asked;
    if (!reply.failure.empty()) ++counts->failed;
    counts->prompt_tokens += reply.prompt_tokens;
    counts->completion_tokens += reply.completion_tokens;
  }
  tell(reply.failure);
  if (services_.chat_memory && reply.failure.empty()) {
    reply = services_.chat_memory->keep(question.key, plugin_.identity().title() + ", " + model(), reply);
  }
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
    const auto said = plugin_.call("origin", [](const Chat& chat) { return chat.origin(); });
    const auto rest = said.empty() ? settings_ : nlohmann::json(said);
    answerer_ = nlohmann::json::array({plugin_.identity().title(), model(), rest})
                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return answerer_;
}

}  // namespace compeer::plugin
