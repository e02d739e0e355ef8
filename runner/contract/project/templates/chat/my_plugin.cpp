// my_plugin: asks back. Other plugins ask it by a setting such as `judge` or `supporter`.
#include <compeer/chat.h>
#include <compeer/plugin.h>

namespace {

class MyPlugin : public compeer::Chat {
 public:
  // Every key of the descriptor below is there, in its type and range. Throw anything to refuse: the message reaches
  // the user.
  MyPlugin(const compeer::Settings& settings, compeer::Host& host) : words_(settings.text("words")), host_(host) {}

  // Each request is answered once, in any order. What was answered before is not asked again: compeer remembers.
  void answer(const std::vector<compeer::ChatRequest>& requests, const Arrived& arrived) override {
    for (size_t i = 0; i < requests.size() && !host_.cancelled(); ++i) {
      compeer::ChatReply reply;
      reply.text = words_ + " \"" + requests[i].turns.back().text + "\"?";
      arrived(i, std::move(reply));
    }
  }

  std::string model() const override { return "my_plugin"; }

 private:
  std::string words_;
  compeer::Host& host_;
};

}  // namespace

COMPEER_PLUGIN(Chat, chat, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Asks back.",
  "parameters": {
    "words": {"type": "string", "default": "What do you mean by", "help": "what is said before the question"}
  })json")
