// Input: a file of stored answers of a chat model. The store finds the readable ones and adds another.
#include "plugin/answer_store.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder folder;
  const auto answers = folder.path() / "answers";
  for (const auto& file : plugin::answer_files(answers)) std::filesystem::remove(file);
  folder.write("answers/elsewhere-0.jsonl", fuzz::text_of(data, size));
  ChatRequest request;
  request.turns = {{"user", "Is it?"}};
  const plugin::AnswerKey key("who", request);
  size_t known = 0;
  {
    plugin::AnswerStore store(answers, nullptr);
    store.find(key, request);
    store.mark_malformed(key, request);
    ChatReply reply;
    reply.text = "yes";
    store.keep(key, "who", "model", request, reply);
    known = store.size();
  }
  plugin::AnswerStore again(answers, nullptr);
  // The first store no longer counts an answer that `find` proved damaged; the second has not read that answer yet.
  fuzz::expect(again.size() >= known && again.size() <= known + 1 && again.find(key, request).has_value());
  return 0;
}
