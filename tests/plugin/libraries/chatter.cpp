// A chat model plugin that does what its setting `act` names.
#include <algorithm>
#include <stdexcept>
#include <thread>

#include "compeer/chat.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

class Chatter : public ChatModel {
 public:
  Chatter(const Settings& settings, Host& host) : act_(settings.text("act")), host_(host) {}

  void answer(ChatRequests& requests) override {
    if (act_ == "throw") throw std::runtime_error("no key");
    if (act_ == "leave in the line") return;
    for (auto some = requests.take(9); !some.empty(); some = requests.take(9)) {
      host_.log("asked " + std::to_string(some.size()));
      if (act_ == "leave out") return;
      if (act_ == "make up") requests.reply(7, {});
      if (act_ == "until two ask") wait_for_another(requests, some);
      std::reverse(some.begin(), some.end());  // answers may arrive in any order
      for (auto& one : some) reply(requests, one);
    }
  }

  std::string model() const override { return "chatter"; }
  bool is_instant() const override { return act_ == "free"; }
  bool is_async() const override { return act_ == "wait" || act_ == "until two ask"; }

 private:
  static void wait_for_another(ChatRequests& requests, std::vector<ChatRequests::Numbered>& some) {
    while (some.size() < 2) {
      for (auto& one : requests.take(9)) some.push_back(std::move(one));
      std::this_thread::yield();
    }
  }

  void reply(ChatRequests& requests, const ChatRequests::Numbered& asked) const {
    ChatReply reply{
        .text = "re: " + asked.request.turns.back().text, .failure = {}, .prompt_tokens = 5, .completion_tokens = 2};
    if (act_ == "fail") reply.failure = "not today";
    if (act_ == "bytes") reply.text += "\xff";
    if (act_ == "elsewhere")
      std::thread([&] { requests.reply(asked.number, reply); }).join();
    else
      requests.reply(asked.number, reply);
    if (act_ == "twice") requests.reply(asked.number, reply);
  }

  std::string act_;
  Host& host_;
};

}  // namespace

COMPEER_PLUGIN(ChatModel, chat, chatter, Chatter, R"json(
  "version": "1.0.0",
  "summary": "Does what it is told.",
  "parameters": {"act": {"type": "string", "default": "well"}, "wait": {"type": "integer", "default": 1}})json")
