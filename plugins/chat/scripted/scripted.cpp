// Answers from a file, for tests and for trials without a model.
//
//   table  the file (scripted/table.h)

#include "compeer/chat.h"
#include "compeer/plugin.h"
#include "scripted/table.h"

namespace {

using namespace compeer;

class Scripted : public ChatModel {
 public:
  Scripted(const Settings& settings, Host&) : path_(settings.text("table")), table_(path_) {}

  void answer(ChatRequests& requests) override {
    for (auto one = requests.take(1); !one.empty(); one = requests.take(1))
      requests.reply(one[0].number, table_.answer(one[0].request));
  }

  std::string model() const override { return path_; }

  std::string cache_key() const override { return table_.digest(); }

 private:
  std::string path_;
  scripted::AnswerTable table_;
};

}  // namespace

COMPEER_PLUGIN(ChatModel, chat, scripted, Scripted, R"json(
  "version": "1.0.0",
  "summary": "Predefined answers from a file.",
  "parameters": {
    "table": {"type": "path", "help": "JSON lines: {\"user\" or \"contains\": text, \"answer\": text or list of texts}"}
  })json")
