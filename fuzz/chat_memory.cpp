// Remembered answers of a chat model made of anything: those that can be read are found, and another joins them.
#include "plugin/chat_memory.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder folder;
  folder.write("answers/r0000.jsonl", fuzz::text_of(data, size));
  const auto answers = folder.path() / "answers";
  size_t known = 0;
  {
    plugin::ChatMemory memory(answers, "r0000", nullptr);
    memory.find("a");
    ChatReply reply;
    reply.text = "yes";
    memory.keep("new", "who", reply);
    known = memory.size();
  }
  const plugin::ChatMemory again(answers, "r0000", nullptr);
  fuzz::expect(again.size() == known && again.find("new").has_value());
  return 0;
}
