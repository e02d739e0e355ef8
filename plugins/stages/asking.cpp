// Prompts of stages, and questions to chat models with repeated attempts.
#include "stages/asking.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "empathy/plain.h"

namespace compeer::stages {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Returns the folder of the chat plugin's own prompts, or an empty path if it has none or the setting `prompts` is set.
fs::path own_folder(const Settings& settings, const Host& host, const std::string& chat) {
  if (settings.has("prompts") || !settings.has(chat)) return {};
  const auto folder = fs::path(host.folder()).parent_path() / "chat" / "prompts" / settings.table(chat).text("plugin");
  return fs::exists(folder) ? folder : fs::path();
}

// Returns true on the first call with this text in the process. Several prompts and stages may lack the same language.
bool said_first(const std::string& what) {
  static std::set<std::string> said;
  return said.insert(what).second;
}

const char* refusal_of(const ChatReply& reply) {
  if (!reply.failure.empty()) return no_answer;
  if (!reply.finished) return cut_off;
  return empathy::trim(reply.text).empty() ? empty_answer : malformed;
}

}  // namespace

bool chinese(const json& record) { return record.value("language", "en").starts_with("zh"); }

StagePrompt::StagePrompt(const Settings& settings, Host& host, const std::string& chat, const std::string& name,
                         const std::vector<std::string>& slots)
    : host_(host), file_(name + ".txt") {
  const fs::path own = own_folder(settings, host, chat);
  auto known = slots;
  if (!own.empty()) known.emplace_back(empathy::case_slot);
  const fs::path folder = !own.empty()              ? own
                          : settings.has("prompts") ? fs::path(settings.text("prompts"))
                                                    : fs::path(host.folder()) / "prompts";
  folder_ = folder.string();
  for (const std::string language : {"en", "zh"}) {
    const fs::path file = folder / language / file_;
    if (fs::exists(file)) by_language_.emplace(language, empathy::PromptTemplate::read(file, known));
  }
  if (by_language_.empty())
    throw Error(folder_, "has neither en/" + file_ + " nor zh/" + file_,
                "add a file for each language of the data: en/" + file_ + ", zh/" + file_, Exit::data);
}

const empathy::PromptTemplate& StagePrompt::of(const json& record) const {
  const std::string language = chinese(record) ? "zh" : "en";
  const auto found = by_language_.find(language);
  if (found != by_language_.end()) return found->second;
  note_missing(language);
  return by_language_.begin()->second;
}

// Names the folder if it has nothing in that language, otherwise the file, so that each gap is logged once.
void StagePrompt::note_missing(const std::string& language) const {
  const std::string lacks = fs::exists(fs::path(folder_) / language) ? language + "/" + file_ : language;
  if (!said_first(folder_ + "/" + lacks)) return;
  host_.log("the prompts " + folder_ + " have no '" + lacks + "': for records in " +
            (language == "zh" ? "Chinese" : "English") + ", those in '" + by_language_.begin()->first + "' are used");
}

std::string StagePrompt::fill(const json& record, std::map<std::string, std::string> values) const {
  values.emplace(empathy::case_slot, record.value("id", ""));
  return of(record).fill(values);
}

std::string StagePrompt::hashes() const {
  std::string all;
  for (const auto& [language, prompt] : by_language_) all += language + " " + prompt.sha256() + "\n";
  return all;
}

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
    // In the order of the questions; replies arrive in any order.
    std::vector<ChatQuestion*> again;
    for (size_t i = 0; i < open.size(); ++i) {
      const bool answered = replies[i].failure.empty();
      const bool taken = answered && open[i]->take(replies[i].text).empty();
      open[i]->refusal = taken ? "" : refusal_of(replies[i]);
      if (answered) open[i]->answer = replies[i].text;
      if (!answered || taken) continue;  // the chat model has retried a failed request
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
    text += (text.empty() ? "" : "\n") + empathy::format_turn(turn.role, places + turn.text, chinese(record));
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
