// What is asked of a chat model: an answer to every request, each once (the door sees to that), by text or by a reason
// why there is none; and a name. What is answered is up to it.
#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"
#include "plugin/chat_line.h"

namespace compeer::contract {

namespace {

using Plugin = plugin::Plugin<ChatModel>;

ChatRequest request(const std::string& text) {
  ChatRequest made;
  made.turns = {{"system", "Answer briefly."}, {"user", text}};
  made.max_tokens = 16;
  return made;
}

Case<ChatModel> answers(const std::string& input, const std::vector<std::string>& texts) {
  std::vector<ChatRequest> requests;
  for (const auto& text : texts) requests.push_back(request(text));
  return {input, "answer", [requests](Plugin& chat) {
            std::vector<std::string> replies(requests.size());
            plugin::ChatLine(chat, nullptr).answer(requests, [&](size_t i, const ChatReply& reply) {
              replies[i] = reply.text + "\n" + reply.failure;
            });
            return bytes(replies);
          }};
}

std::string nameless(Plugin& chat) {
  return chat.call("model", [](ChatModel& c) { return c.model(); }).empty() ? "model() returned nothing" : "";
}

}  // namespace

Kit<ChatModel> kit_for(const Subject<ChatModel>&) {
  Kit<ChatModel> kit;
  for (const SampleTexts& one : all_texts()) kit.cases.push_back(answers(one.of("questions"), {one.texts.front()}));
  kit.cases.front().input = "an ordinary question";
  kit.cases.push_back(answers("four questions at once", all_texts().front().texts));
  kit.cases.push_back(answers("no questions", {}));
  kit.cases.push_back({"its settings", "origin",
                       [](Plugin& chat) { return chat.call("origin", [](ChatModel& c) { return c.origin(); }); }});
  kit.rules = {{"it has a name", "model", nameless}};
  kit.need_not_agree = "a chat model may answer otherwise each time; a run remembers what it answered";
  kit.not_repeated = "each answer may cost something";
  return kit;
}

}  // namespace compeer::contract
