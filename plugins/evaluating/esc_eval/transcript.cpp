// Reads role cards and dialogues from our records and from the published ones.
#include "evaluating/esc_eval/transcript.h"

#include <algorithm>
#include <array>

#include "empathy/plain.h"
#include "stages/records.h"

namespace compeer::evaluating::esc_eval {

using nlohmann::json;

namespace {

struct Field {
  std::string_view name, chinese;
};
constexpr std::array<Field, 4> fields = {
    {{"Age", "年龄"}, {"Gender", "性别"}, {"Occupation", "职业"}, {"Problem", "问题"}}};

std::string text_in(const json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_string()) return "";
  return std::string(empathy::trim(found->get_ref<const std::string&>()));
}

// True if a line of the card has this field with a value.
bool holds(std::string_view card, const Field& field) {
  for (const auto name : {field.name, field.chinese}) {
    for (const std::string_view colon : {":", "："}) {
      const std::string start = std::string(name) + std::string(colon);
      const size_t at = card.starts_with(start) ? 0 : card.find("\n" + start);
      if (at == card.npos) continue;
      const size_t from = at + start.size() + (at > 0), end = std::min(card.find('\n', from), card.size());
      if (!empathy::trim(card.substr(from, end - from)).empty()) return true;
    }
  }
  return false;
}

// Removes the speaker from a published line. Returns the role, or "" if there is none.
std::string take_speaker(std::string_view& line) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> names = {
      {{"AI assistant", "assistant"}, {"AI助手", "assistant"}, {"ESC-Role", "user"}, {"用户", "user"}}};
  for (const auto& [name, role] : names) {
    for (const std::string_view colon : {"：", ":"}) {
      const std::string start = std::string(name) + std::string(colon);
      if (!line.starts_with(start)) continue;
      line = empathy::trim(line.substr(start.size()));
      return role;
    }
  }
  return "";
}

json turns_of_lines(const json& lines, std::string& refusal) {
  json turns = json::array();
  for (const json& one : lines) {
    std::string_view line = one.is_string() ? std::string_view(one.get_ref<const std::string&>()) : "";
    const std::string role = take_speaker(line);
    if (role.empty()) refusal = "a line without a speaker";
    turns.push_back({{"role", role}, {"text", line}});
  }
  return turns;
}

// True for a system turn, which is an instruction to the supporter and not part of the dialogue.
bool is_system(const json& turn) { return turn.is_object() && turn.value("role", json()) == "system"; }

bool is_turn(const json& turn) {
  const auto role = turn.is_object() ? turn.find("role") : turn.end();
  return turn.is_object() && role != turn.end() && (*role == "user" || *role == "assistant") && turn.contains("text") &&
         turn.at("text").is_string();
}

}  // namespace

std::string language_of(const json& record, std::string_view text) {
  std::string said = text_in(record, "language");
  std::transform(said.begin(), said.end(), said.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (said.starts_with("zh") || said.starts_with("chinese")) return "zh";
  if (said.starts_with("en")) return "en";
  return empathy::has_chinese(text) ? "zh" : "en";
}

Card card_of(const json& record) {
  Card card{text_in(record, "card"), "", {}};
  if (!card.text.empty()) return card;
  card.text = text_in(record, "base");
  for (const Field& field : fields) {
    if (!card.text.empty() && !holds(card.text, field)) card.missing.emplace_back(field.name);
  }
  if (card.text.empty()) card.refusal = "no 'card' (published ones: 'base')";
  if (!card.missing.empty() && card.missing.back() == "Problem") card.refusal = "a card without a problem";
  return card;
}

bool is_recorded(const json& record) {
  const auto turns = record.find("turns");
  return record.contains("lines") || (turns != record.end() && !turns->empty());
}

Transcript transcript_of(const json& record) {
  Transcript made;
  const bool published = record.contains("lines");
  const json& all = record.at(published ? "lines" : "turns");
  if (!all.is_array()) return {"", json::array(), "no list of what was said"};
  made.turns = published ? turns_of_lines(all, made.refusal) : all;
  std::erase_if(made.turns.get_ref<json::array_t&>(), is_system);
  if (made.refusal.empty() && !std::all_of(made.turns.begin(), made.turns.end(), is_turn))
    made.refusal = "a turn without a role or a text";
  if (!made.refusal.empty()) return made;
  if (record.contains("greeting")) made.greeting = text_in(record, "greeting");
  while (!made.turns.empty() && made.turns[0].at("role") == "assistant") {
    made.greeting = made.turns[0].at("text");
    made.turns.erase(0);
  }
  if (rounds_of(made.turns) == 0) made.refusal = "nobody answers the seeker";
  return made;
}

size_t rounds_of(const json& turns) {
  return static_cast<size_t>(
      std::count_if(turns.begin(), turns.end(), [](const json& turn) { return turn.at("role") == "assistant"; }));
}

bool ends_with_seeker(const json& turns) { return !turns.empty() && turns.back().at("role") == "user"; }

std::vector<Turn> shown_turns(const Transcript& transcript) {
  std::vector<Turn> turns = stages::turns_in(transcript.turns);
  if (!transcript.greeting.empty()) turns.insert(turns.begin(), {"assistant", transcript.greeting});
  return turns;
}

}  // namespace compeer::evaluating::esc_eval
