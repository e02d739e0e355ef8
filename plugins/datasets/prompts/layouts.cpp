#include "datasets/prompts/layouts.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace compeer::prompts {

namespace {

using corpora::Refusal;
using corpora::Role;

const std::vector<std::pair<std::string_view, Role>> kShareGptRoles = {
    {"system", Role::system}, {"human", Role::seeker},      {"user", Role::seeker},
    {"gpt", Role::supporter}, {"chatgpt", Role::supporter}, {"assistant", Role::supporter}};

// Usual names of columns, and what they are called here.
constexpr std::pair<const char*, const char*> kOtherNames[] = {
    {"question", "prompt"},  {"query", "prompt"},       {"input", "prompt"},         {"text", "prompt"},
    {"answer", "reference"}, {"response", "reference"}, {"completion", "reference"}, {"output", "reference"}};

bool blank(const json& object, const char* key) {
  return !object.contains(key) || object.at(key).is_null() || corpora::text_of(object, key).empty();
}

void add_system(const json& record, json& made) {
  if (!blank(record, "system")) made["system"] = record.at("system");
}

// Adds the keys that every layout has; those that are in no layout become "meta", for rewards to read.
json with_others(const json& record, std::initializer_list<std::string> taken, json made) {
  json meta = corpora::part_of(record, "meta");
  for (const auto& [key, value] : record.items()) {
    if (key == "meta" || key == "system" || std::find(taken.begin(), taken.end(), key) != taken.end()) continue;
    const bool ours = key == "id" || key == "language" || key == "split";
    (ours ? made : meta)[key] = value;
  }
  made["meta"] = std::move(meta);
  return made;
}

void say(json& messages, Role role, std::string text) {
  messages.push_back({{"role", corpora::chat_name(role)}, {"content", std::move(text)}});
}

}  // namespace

std::string text_in(const json& object, const char* key) {
  if (corpora::text_of(object, key).empty()) throw Refusal("has an empty text '" + std::string(key) + "'");
  return object.at(key).get<std::string>();
}

json from_sharegpt(const json& record) {
  json messages = json::array();
  corpora::each(corpora::list_of(record, "conversations"), "message", [&](const json& message, size_t) {
    const bool published = message.is_object() && message.contains("from");
    const char* text = published ? "value" : "content";
    const Role role = corpora::role_of(message, published ? "from" : "role", kShareGptRoles);
    if (role != Role::system || !blank(message, text)) say(messages, role, text_in(message, text));
  });
  json made{{"messages", std::move(messages)}};
  add_system(record, made);
  return with_others(record, {"conversations"}, std::move(made));
}

json from_alpaca(const json& record) {
  json messages = json::array();
  if (record.is_object() && record.contains("history") && !record.at("history").is_null()) {
    corpora::each(corpora::list_of(record, "history"), "round", [&](const json& round, size_t) {
      if (!round.is_array() || round.size() != 2 || !round[0].is_string() || !round[1].is_string())
        throw Refusal("is no pair of texts");
      say(messages, Role::seeker, round[0]), say(messages, Role::supporter, round[1]);
    });
  }
  auto prompt = text_in(record, "instruction");
  if (!blank(record, "input")) prompt += "\n" + record.at("input").get<std::string>();
  say(messages, Role::seeker, std::move(prompt));
  json made{{"messages", std::move(messages)}};
  if (record.contains("output") && !record.at("output").is_null()) made["reference"] = text_in(record, "output");
  add_system(record, made);
  return with_others(record, {"instruction", "input", "output", "history"}, std::move(made));
}

void refuse_other_layouts(const json& record) {
  const auto reads = [](const std::string& format) {
    return "set format = \"" + format + "\" in [dataset], or --set dataset.format=" + format;
  };
  const bool prompted = record.contains("prompt") || record.contains("messages");
  if (!prompted && record.contains("conversations"))
    throw OtherLayout("is a ShareGPT record (key 'conversations')", reads("sharegpt"));
  if (!prompted && record.contains("instruction"))
    throw OtherLayout("is an Alpaca record (key 'instruction')", reads("alpaca"));
  std::string names, columns = prompted && record.contains("prompt") ? "prompt" : "";
  for (const auto& [name, ours] : kOtherNames) {
    const bool known = record.contains(ours) || (prompted && ours == std::string("prompt"));
    if (known || !record.contains(name) || columns.find(ours) != std::string::npos) continue;
    names += (names.empty() ? "'" : " and '") + std::string(name) + "' in place of '" + ours + "'";
    columns += (columns.empty() ? "" : ", ") + std::string(ours) + ": ." + name;
  }
  if (!names.empty() && !record.contains("messages"))
    throw OtherLayout("has " + names, "rename the keys: jq -c '{" + columns + "}' OLD.jsonl >NEW.jsonl");
}

}  // namespace compeer::prompts
