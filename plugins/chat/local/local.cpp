// A model folder on the program's own engine.
//
//   path         the folder, in Hugging Face layout
//   concurrency  maximum number of conversations held in memory at once; does not affect answers

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "base/files.h"
#include "base/hash.h"
#include "compeer/chat.h"
#include "compeer/language_model.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

// The turns that come before the text to be said (role, text, pictures): all but the last one, or all if that has
// pictures.
using Past = std::vector<std::tuple<std::string, std::string, std::vector<std::string>>>;

size_t past_turns(const ChatRequest& request) {
  return request.turns.size() - (request.turns.back().pictures.empty() ? 1 : 0);
}

Past past_of(const ChatRequest& request) {
  Past past;
  for (size_t i = 0; i < past_turns(request); ++i) {
    const Turn& turn = request.turns[i];
    past.emplace_back(turn.role, turn.text, turn.pictures);
  }
  return past;
}

// Sampling parameters: temperature, max_tokens, draw.
using SamplingKey = std::tuple<double, int64_t, uint32_t>;

SamplingKey manners_of(const ChatRequest& request) {
  return {request.temperature, request.max_tokens, request.sample_index};
}

class Local : public ChatModel {
  using Arrived = Chat::OnReply;
  static constexpr size_t most_at_once = 4096;  // requests sorted at a time

 public:
  Local(const Settings& settings, Host& host)
      : path_(settings.text("path")), concurrency_(static_cast<size_t>(settings.integer("concurrency"))), host_(host) {}

  void answer(ChatRequests& line) override {
    for (auto some = line.take(most_at_once); !some.empty(); some = line.take(most_at_once)) {
      host_.language_model(path_);  // if the model can't be opened, fail the call and not a request
      std::vector<ChatRequest> requests;
      for (const auto& one : some) requests.push_back(one.request);
      answer_all(requests, [&](size_t i, ChatReply reply) { line.reply(some[i].number, std::move(reply)); });
      if (host_.cancelled()) return;
    }
  }

  std::string model() const override { return path_; }

  // Hashes of all files, because a model may be retrained under the same name, and a random number that depends on the
  // run's seed.
  std::string cache_key() const override {
    std::map<std::string, std::string> files;
    for (const auto& file : entries_of(path_)) {
      if (file.is_regular_file()) files.emplace(file.path().filename().string(), sha256_file(file.path()));
    }
    return nlohmann::json{files, host_.random(0)}.dump();
  }

 private:
  // Returns the order of processing: requests with equal sampling parameters together, and within them those with the
  // same past.
  static std::vector<size_t> order_of(const std::vector<ChatRequest>& requests) {
    std::vector<std::tuple<SamplingKey, Past, size_t>> alike;
    for (size_t i = 0; i < requests.size(); ++i) alike.emplace_back(manners_of(requests[i]), past_of(requests[i]), i);
    std::sort(alike.begin(), alike.end());
    std::vector<size_t> order;
    for (const auto& one : alike) order.push_back(std::get<size_t>(one));
    return order;
  }

  void answer_all(const std::vector<ChatRequest>& requests, const Arrived& arrived) {
    const auto order = order_of(requests);
    for (size_t begin = 0; begin < order.size() && !host_.cancelled();) {
      size_t end = begin + 1;
      while (end < order.size() && end - begin < concurrency_ &&
             manners_of(requests[order[end]]) == manners_of(requests[order[begin]])) {
        ++end;
      }
      answer_or_say_why(
          requests, {order.begin() + static_cast<int64_t>(begin), order.begin() + static_cast<int64_t>(end)}, arrived);
      begin = end;
    }
  }

  // Answers some requests in one batch. If one can't be answered, for example because it is too long, the others are
  // answered separately.
  void answer_or_say_why(const std::vector<ChatRequest>& requests, const std::vector<size_t>& these,
                         const Arrived& arrived) {
    try {
      answer_together(requests, these, arrived);
    } catch (const Error& error) {
      if (error.exit() != Exit::data) throw;
      if (these.size() == 1) return arrived(these[0], {.text = {}, .failure = error.problem()});
      for (const size_t one : these) answer_or_say_why(requests, {one}, arrived);
    }
  }

  // `these` have equal sampling parameters. A common past is processed once.
  void answer_together(const std::vector<ChatRequest>& requests, const std::vector<size_t>& these,
                       const Arrived& arrived) {
    auto& language_model = host_.language_model(path_);
    std::map<Past, std::unique_ptr<Conversation>> begun;
    std::vector<std::unique_ptr<Conversation>> conversations;
    std::vector<Conversation*> lent;
    std::vector<std::string> texts;
    for (const size_t i : these) {
      const auto& turns = requests[i].turns;
      auto& first = begun[past_of(requests[i])];
      const size_t past = past_turns(requests[i]);
      if (!first) first = language_model.begin({turns.begin(), turns.begin() + static_cast<int64_t>(past)});
      conversations.push_back(first->copy());
      lent.push_back(conversations.back().get());
      texts.push_back(past < turns.size() ? turns.back().text : "");
    }
    const auto& alike = requests[these.front()];
    const auto said = language_model.answer(lent, texts, {alike.temperature, alike.max_tokens, alike.sample_index});
    for (size_t k = 0; k < these.size(); ++k) {
      arrived(these[k], {.text = said.at(k).text,
                         .finished = said.at(k).finished,
                         .failure = {},
                         .prompt_tokens = 0,
                         .completion_tokens = said.at(k).tokens});
    }
  }

  std::string path_;
  size_t concurrency_;
  Host& host_;
};

}  // namespace

COMPEER_PLUGIN(ChatModel, chat, local, Local, R"json(
  "version": "1.0.0",
  "summary": "A local model folder, run by compeer's own engine.",
  "parameters": {
    "path": {"type": "path", "help": "the model's folder, in Hugging Face's layout"},
    "concurrency": {"type": "integer", "default": 16, "min": 1, "max": 4096,
                    "help": "maximum number of conversations in one batch; answers do not depend on it"}
  })json")
