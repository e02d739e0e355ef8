// A chat model that does what its setting `act` says.
#include <stdexcept>
#include <thread>

#include "compeer/chat.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

class Chatter : public Chat {
 public:
  Chatter(const Settings& settings, Host& host) : act_(settings.text("act")), host_(host) {}

  void answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) override {
    host_.log("asked " + std::to_string(requests.size()));
    if (act_ == "throw") throw std::runtime_error("no key");
    if (act_ == "leave out") return;
    if (act_ == "make up") arrived(requests.size(), {});
    for (size_t i = requests.size(); i-- > 0;) {  // any order will do
      ChatReply reply{
          .text = "re: " + requests[i].turns.back().text, .failure = {}, .prompt_tokens = 5, .completion_tokens = 2};
      if (act_ == "fail") reply.failure = "not today";
      if (act_ == "bytes") reply.text += "\xff";
      if (act_ == "elsewhere") {
        std::thread([&] { arrived(i, reply); }).join();
      } else if (act_ == "swallow") {
        try {
          arrived(i, reply);
        } catch (...) {  // as a careless plugin may
        }
      } else {
        arrived(i, reply);
      }
      if (act_ == "twice") arrived(i, reply);
    }
  }

  std::string model() const override { return "chatter"; }
  bool free() const override { return act_ == "free"; }

 private:
  std::string act_;
  Host& host_;
};

}  // namespace

COMPEER_PLUGIN(Chat, chat, chatter, Chatter, R"json(
  "version": "1.0.0",
  "summary": "Does what it is told.",
  "parameters": {"act": {"type": "string", "default": "well"}, "wait": {"type": "integer", "default": 1}})json")
