// my_plugin: answers by asking back. Other plugins select it by a setting such as `judge`.
#include <compeer/chat.h>
#include <compeer/plugin.h>

namespace {

class MyPlugin : public compeer::ChatModel {
 public:
  // Every key of the descriptor below is present, with a valid type and range. Any exception rejects the settings; its
  // message is shown to the user.
  explicit MyPlugin(const compeer::Settings& settings) : words_(settings.text("words")) {}

  // Every request taken must be answered once, in any order. Compeer stores answers and does not repeat requests.
  void answer(compeer::ChatRequests& requests) override {
    for (auto one = requests.take(1); !one.empty(); one = requests.take(1)) {
      compeer::ChatReply reply;
      reply.text = words_ + " \"" + one[0].request.turns.back().text + "\"?";
      requests.reply(one[0].number, std::move(reply));
    }
  }

  std::string model() const override { return "my_plugin"; }

 private:
  std::string words_;
};

}  // namespace

COMPEER_PLUGIN(ChatModel, chat, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Answers with a question about what was said.",
  "parameters": {
    "words": {"type": "string", "default": "What do you mean by", "help": "text before the quoted words"}
  })json")
