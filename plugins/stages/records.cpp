// Access to the fields of records, and outcomes of stages.
#include "stages/records.h"

#include "base/error.h"
#include "base/hash.h"
#include "empathy/plain.h"

namespace compeer::stages {

using nlohmann::json;

void refuse(const json& record, const std::string& why, const std::string& help) {
  throw Error("record '" + record.at("id").get<std::string>() + "'", why, help, Exit::data);
}

std::pair<uint32_t, uint32_t> random_address(const std::string& id) {
  const auto digits = sha256(id);
  const auto number = [&](size_t from) {
    return static_cast<uint32_t>(std::stoul(digits.substr(from, 8), nullptr, 16));
  };
  return {number(0), number(8)};
}

std::pair<uint32_t, uint32_t> random_address(const json& record) {
  return random_address(record.at("id").get<std::string>());
}

std::string dialogue_of(const json& record) {
  const auto named = record.find("dialogue");
  return named != record.end() && named->is_string() ? named->get<std::string>() : record.at("id").get<std::string>();
}

std::vector<Turn> turns_in(const json& list) {
  std::vector<Turn> turns;
  for (const json& turn : list)
    turns.push_back({turn.at("role"), turn.at("text"), turn.value("pictures", std::vector<std::string>())});
  return turns;
}

json list_of(const std::vector<Turn>& turns) {
  json list = json::array();
  for (const Turn& turn : turns) list.push_back({{"role", turn.role}, {"text", turn.text}});
  return list;
}

std::vector<Turn> spoken(std::vector<Turn> turns) {
  std::erase_if(turns, [](const Turn& turn) { return turn.role == "system"; });
  return turns;
}

std::vector<Turn> turns_of(const json& record) {
  if (record.contains("turns")) return turns_in(record.at("turns"));
  if (!record.contains("history"))
    refuse(record, "has neither turns nor a history", "use dialogues, or records with \"turns\" or \"history\"");
  auto turns = turns_in(record.at("history"));
  if (record.contains("reference")) turns.push_back({"assistant", record.at("reference")});
  return turns;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : empathy::trim(text)) {
    if (!empathy::is_space(c)) {
      line += c;
    } else if (line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

std::string numbered(const std::vector<std::string>& texts, size_t first) {
  std::string lines;
  for (size_t i = 0; i < texts.size(); ++i)
    lines += (i == 0 ? "" : "\n") + std::to_string(first + i) + ": " + one_line(texts[i]);
  return lines;
}

json candidate_of(const empathy::Structured& written, const std::string& model) {
  return {{"history", written.history},
          {"emotion", written.emotion},
          {"strategy", written.strategy},
          {"reply", one_line(written.reply)},
          {"model", model}};
}

json copy_of(json record, const std::string& name) {
  record["dialogue"] = dialogue_of(record);
  record["id"] = record.at("id").get<std::string>() + "/" + name;
  return record;
}

json copy_for_candidate(json record, const std::string& name) {
  for (const char* field : {"steps", "preference", "annotators", "judged"}) record.erase(field);
  if (!record.contains("provenance")) record["provenance"] = json::object();
  for (const char* field : {"steps", "preference"}) record["provenance"].erase(field);
  return copy_of(std::move(record), name);
}

std::vector<Turn> history_of(const json& record) {
  if (record.contains("history")) return turns_in(record.at("history"));
  refuse(record, "has no history", "run the stage sample first, which draws rounds");
}

Outcome kept(json record) { return {{std::move(record)}, "", {}}; }

Outcome unchanged() { return {{}, "", {}, true}; }

Outcome dropped(const std::string& reason) { return {{}, reason, {}}; }

Expected::Expected(const Settings& settings, const std::string& setting, std::string what)
    : setting_(setting), what_(std::move(what)) {
  if (settings.has(setting)) name_ = settings.text(setting);
}

std::string Expected::summary(const json& object) const {
  if (object.contains(name())) return "";
  json names = json::array();
  if (!object.is_object()) return names.dump();
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names.dump();
}

void Expected::add_summary(const std::string& summary) {
  if (summary.empty()) found_ = true;
  if (found_) return;
  for (const json& name : json::parse(summary)) others_.insert(name.get<std::string>());
}

void Expected::throw_if_misspelt() const {
  if (name_ && !nearest(name(), {others_.begin(), others_.end()}).empty()) require_found();
}

void Expected::require_found() const {
  if (!name_ || found_ || others_.empty()) return;
  throw Error("'" + setting_ + "'", "no record has " + what_ + " '" + name() + "'",
              suggest(name(), {others_.begin(), others_.end()}), Exit::data);
}

}  // namespace compeer::stages
