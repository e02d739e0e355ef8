#include "stages/asking.h"

#include <algorithm>

#include "empathy/plain.h"

namespace compeer::stages {

using nlohmann::json;

namespace {

const char* refusal_of(const ChatReply& reply) {
  if (!reply.failure.empty()) return no_answer;
  if (!reply.finished) return cut_off;
  return empathy::trim(reply.text).empty() ? empty_answer : malformed;
}

}  // namespace

int64_t most_tries(int64_t tries, double temperature, const Settings& settings, const std::string& chat) {
  if (temperature > 0 || !settings.has(chat)) return tries;
  const json omitted = settings.table(chat).json().value("omit", json::array());
  return std::find(omitted.begin(), omitted.end(), "seed") == omitted.end() ? tries : 1;
}

int64_t ask(Chat& chat, std::vector<ChatQuestion>& questions, const Asking& asking) {
  int64_t refused = 0;
  std::vector<ChatQuestion*> open;
  for (ChatQuestion& question : questions) open.push_back(&question);
  for (int64_t draw = 0; draw < asking.tries && !open.empty(); ++draw) {
    std::vector<ChatRequest> requests;
    for (const ChatQuestion* question : open) {
      requests.push_back({{{"user", question->prompt, question->pictures}},
                          asking.temperature,
                          asking.max_tokens,
                          static_cast<uint32_t>(draw),
                          question->choices});
    }
    std::vector<ChatReply> replies(requests.size());
    chat.answer(requests, [&](size_t i, ChatReply reply) { replies[i] = std::move(reply); });
    // Taken in the order of the questions: answers arrive in any.
    std::vector<ChatQuestion*> again;
    for (size_t i = 0; i < open.size(); ++i) {
      const bool answered = replies[i].failure.empty();
      const bool taken = answered && open[i]->take(replies[i].text).empty();
      open[i]->refusal = taken ? "" : refusal_of(replies[i]);
      if (answered) open[i]->answer = replies[i].text;
      if (!answered || taken) continue;  // the model itself has tried a failure often enough
      ++refused;
      again.push_back(open[i]);
      chat.unreadable(requests[i], replies[i].text, draw + 1 < asking.tries);
    }
    open = std::move(again);
  }
  return refused;
}

Outcome dropped(const ChatQuestion& question) {
  Outcome outcome = dropped(question.refusal);
  outcome.answer = question.answer;
  return outcome;
}

void count_malformed(int64_t answers, std::vector<Outcome>& outcomes) {
  if (answers > 0) outcomes[0].counts["answers that could not be read"] = static_cast<double>(answers);
}

std::string shown(const std::vector<Turn>& turns, const json& record) {
  std::string text;
  size_t picture = 0;
  for (const Turn& turn : spoken(turns)) {
    std::string places;
    for (size_t i = 0; i < turn.pictures.size(); ++i)
      places += (chinese(record) ? "[图片" : "[picture ") + std::to_string(++picture) + "] ";
    text += (text.empty() ? "" : "\n") + empathy::said(turn.role, places + turn.text, chinese(record));
  }
  return text;
}

std::vector<std::string> pictures_of(const std::vector<Turn>& turns, bool sees) {
  std::vector<std::string> files;
  if (!sees) return files;
  for (const Turn& turn : spoken(turns)) files.insert(files.end(), turn.pictures.begin(), turn.pictures.end());
  return files;
}

void note_provenance(json& record, const std::string& field, const std::string& model,
                     const empathy::PromptTemplate& prompt) {
  record["provenance"][field] = {{"model", model}, {"prompt", prompt.sha256()}};
}

}  // namespace compeer::stages
