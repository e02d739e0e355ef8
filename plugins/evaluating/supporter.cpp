// Requests to the model under test, and the reply and steps in its answers.
#include "evaluating/supporter.h"

#include "base/error.h"
#include "base/files.h"
#include "empathy/format.h"
#include "empathy/plain.h"
#include "empathy/reading.h"
#include "stages/records.h"

namespace compeer::evaluating {

using nlohmann::json;

OptionalChat::OptionalChat(const Settings& settings, Host& host, const std::string& setting) : setting_(setting) {
  if (settings.has(setting)) chat_ = &host.chat(settings.table(setting));
}

Chat& OptionalChat::require(const std::string& why) const {
  if (chat_) return *chat_;
  throw Error(
      "", why + ", but the setting '" + setting_ + "' is unset",
      "set it to a chat plugin, as in " + setting_ + " = { plugin = \"local\", path = \"results/x/checkpoints/last\" }",
      Exit::data);
}

Supporter::Supporter(const Settings& settings, Host& host, const std::string& published)
    : chat_(settings, host, "supporter"),
      temperature_(settings.number("supporter_temperature")),
      max_tokens_(settings.integer("supporter_tokens")) {
  if (settings.has("supporter_prompt")) {
    prompt_ = empathy::trim(read_file(settings.text("supporter_prompt")));
  } else if (!published.empty() && settings.flag("supporter_system")) {
    published_.emplace(Settings(), host, "", published, std::vector<std::string>{});
  }
}

std::vector<Answer> Supporter::answer(const std::vector<std::vector<Turn>>& dialogues,
                                      const std::vector<std::string>& languages) const {
  std::vector<ChatRequest> requests;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    ChatRequest request{{}, temperature_, max_tokens_};
    const auto system = published_ ? published_->fill({{"language", languages[i]}}, {}) : prompt_;
    if (!system.empty()) request.turns.push_back({"system", system});
    const auto dialogue = system.empty() ? dialogues[i] : stages::spoken(dialogues[i]);
    request.turns.insert(request.turns.end(), dialogue.begin(), dialogue.end());
    requests.push_back(std::move(request));
  }
  std::vector<Answer> answers(requests.size());
  if (requests.empty()) return answers;
  chat_.require("a dialogue is to be answered").answer(requests, [&](size_t i, const ChatReply& reply) {
    answers[i] = reply.failure.empty() ? parse_answer(reply.text) : Answer{"", {}, no_answer};
  });
  return answers;
}

void answer(const std::vector<Scene*>& open, const Supporter& supporter) {
  std::vector<std::vector<Turn>> dialogues;
  std::vector<std::string> languages;
  for (const Scene* scene : open) {
    dialogues.push_back(scene->turns);
    languages.push_back(scene->about.at("language"));
  }
  auto answers = supporter.answer(dialogues, languages);
  for (size_t i = 0; i < open.size(); ++i) {
    if (answers[i].refusal == no_answer) {
      open[i]->refusal = std::string("supporter: ") + no_answer;
      continue;
    }
    // An empty reply counts against the model; the seeker receives `silence` instead.
    if (answers[i].reply.empty()) answers[i].reply = silence, ++open[i]->silent;
    open[i]->say(turn_of(answers[i]));
  }
}

json turn_of(const Answer& answer) {
  json turn = {{"role", "assistant"}, {"text", answer.reply}};
  if (!answer.steps.is_null()) turn["steps"] = answer.steps;
  return turn;
}

Answer parse_answer(const std::string& completion) {
  if (!empathy::answer_in(completion)) return {"", {}, no_reply};  // a thought without an end is not a reply
  const auto rest = empathy::strip_thought(completion);
  Answer answer;
  answer.reply = empathy::reply_of(rest);
  if (const auto parsed = empathy::parse(rest)) {
    answer.steps = {
        {"history", parsed.value->history}, {"emotion", parsed.value->emotion}, {"strategy", parsed.value->strategy}};
  }
  if (answer.reply.empty()) answer.refusal = no_reply;
  return answer;
}

}  // namespace compeer::evaluating
