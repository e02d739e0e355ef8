// Chat templates of a folder, and conversations as token ids.
#include "language/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::language {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr uint64_t largest = 1 << 20;  // bytes of a template

constexpr const char* chat_ml =
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}";

// Templates may define further roles, but a misspelled usual role is an error: most templates would write it into the
// prompt, and the model has never seen it.
void check_role(const std::string& role) {
  static const std::vector<std::string> usual{"system", "user", "assistant", "tool"};
  const auto meant = nearest(role, usual);
  if (!meant.empty() && meant != role)
    throw Error("", fmt::format("a message has the role '{}'", valid_utf8(role)), "did you mean '" + meant + "'?",
                Exit::data);
}

void check(const Json& conversation) {
  const auto refuse = [](const std::string& what) { throw Error("", what, "", Exit::data); };
  if (!conversation.is_object() || !conversation.contains("messages") || !conversation.at("messages").is_array())
    refuse("a conversation must have a list 'messages'");
  for (const Json& message : conversation.at("messages")) {
    if (!message.is_object() || !message.contains("role") || !message.at("role").is_string())
      refuse("a message must be an object with a string 'role'");
    check_role(message.at("role"));
  }
}

// Templates use three names for the reasoning before an answer. As in transformers, it is provided under the ones that
// they read.
Json with_reasoning(const Json& message) {
  Json result = message;
  for (const char* name : {"reasoning_content", "thinking", "reasoning"}) {
    if (!message.contains(name) || message.at(name).is_null()) continue;
    const Json& reasoning = message.at(name);
    if (!message.contains("thinking")) {
      result = {{"thinking", reasoning}};
      for (const auto& [key, value] : message.items()) result[key] = value;
    }
    result["reasoning_content"] = reasoning;
    break;
  }
  return result;
}

Json variables_of(const Json& conversation) {
  Json variables = {{"tools", nullptr}, {"documents", nullptr}, {"add_generation_prompt", false}};
  for (const auto& [name, value] : conversation.items()) {
    if (name != "messages") variables[name] = value;
  }
  auto messages = Json::array();
  for (const Json& message : conversation.at("messages")) messages.push_back(with_reasoning(message));
  variables["messages"] = std::move(messages);
  return variables;
}

Json content_of(const Message& message) {
  const std::string text = valid_utf8(message.text);
  if (message.pictures == 0) return text;
  auto parts = Json::array();
  for (size_t i = 0; i < message.pictures; ++i) parts.push_back({{"type", "image"}});
  parts.push_back({{"type", "text"}, {"text", text}});
  return parts;
}

}  // namespace

ChatTemplates::ChatTemplates(const fs::path& folder) : folder_(folder.string()) {
  if (const auto file = folder / "chat_template.jinja"; fs::exists(file)) {
    add("default", read_plain_file(file, largest), file.string());
    return;
  }
  for (const char* name : {"chat_template.json", "tokenizer_config.json"}) {
    const auto file = folder / name;
    const Json config = fs::exists(file) ? read_strict_json<Json>(file) : Json();
    if (!config.is_object() || !config.contains("chat_template")) continue;
    const Json& found = config.at("chat_template");
    const std::string where = file.string() + ": chat_template";
    if (found.is_null()) continue;
    try {
      if (found.is_string()) {
        add("default", found.get<std::string>(), where);
        return;
      }
      for (const Json& one : found)
        add(one.at("name").get<std::string>(), one.at("template").get<std::string>(), where);
    } catch (const Json::exception&) {
      throw Error(where, "is neither a string nor a list of named templates", "", Exit::data);
    }
    return;
  }
}

ChatTemplates ChatTemplates::chatml() {
  ChatTemplates templates;
  templates.add("default", chat_ml, "ChatML");
  return templates;
}

void ChatTemplates::add(const std::string& name, const std::string& source, const std::string& where) {
  if (source.size() > largest) throw Error(where, "is larger than 1 MiB", "", Exit::data);
  templates_.push_back({name, jinja::Template(source, where)});
}

bool ChatTemplates::renders_messages_independently() const {
  const auto found =
      std::find_if(templates_.begin(), templates_.end(), [](const auto& t) { return t.name == "default"; });
  return found != templates_.end() && found->itself.renders_messages_independently();
}

const jinja::Template& ChatTemplates::choose(bool tools) const {
  const auto named = [&](const char* name) {
    return std::find_if(templates_.begin(), templates_.end(), [&](const Named& one) { return one.name == name; });
  };
  auto found = tools ? named("tool_use") : templates_.end();
  if (found == templates_.end()) found = named("default");
  if (found == templates_.end())
    throw Error(folder_, "has several chat templates, but none is named 'default'", "", Exit::data);
  return found->itself;
}

Chat::Chat(const Tokenizer& tokenizer) : Chat(tokenizer, tokenizer.folder()) {}

Chat::Chat(const Tokenizer& tokenizer, const std::filesystem::path& templates)
    : tokenizer_(tokenizer), templates_(templates) {
  if (templates_.empty()) {
    if (!tokenizer.recognises("<|im_start|>"))
      throw Error(templates.string(), "has no chat template", "add chat_template to tokenizer_config.json", Exit::data);
    templates_ = ChatTemplates::chatml();
  }
  find_opening();
}

void Chat::find_opening() {
  if (!templates_.renders_messages_independently() || !rendered({}, false).text.empty()) return;
  const Rendered opening = rendered({}, true);
  if (opening.text.empty() || tokenizer_.is_separable(opening.text, opening.content)) opening_ = encode(opening);
}

Rendered Chat::render(const Json& conversation, std::time_t now) const {
  check(conversation);
  jinja::Variables variables;
  for (const auto& [role, token] : tokenizer_.roles()) variables.emplace_back(role, jinja::Text(token));
  const bool tools = conversation.contains("tools") && !conversation.at("tools").is_null();
  try {
    const Json all = variables_of(conversation);
    for (const auto& [name, value] : all.items()) variables.emplace_back(name, jinja::value_of(value));
  } catch (const jinja::TemplateError& trouble) {
    throw Error("", trouble.what(), "", Exit::data);
  }
  const jinja::Text text = templates_.choose(tools).render(variables, now);
  return {text.bytes(), text.data()};
}

std::vector<int32_t> Chat::encode(const Rendered& rendered, bool special) const {
  return special ? tokenizer_.encode(rendered.text, true) : tokenizer_.encode(rendered.text, rendered.content);
}

Rendered Chat::rendered(const std::vector<Message>& messages, bool answer) const {
  Json conversation = {{"messages", Json::array()}, {"add_generation_prompt", answer}};
  for (const Message& message : messages)
    conversation["messages"].push_back({{"role", message.role}, {"content", content_of(message)}});
  return render(conversation);
}

std::vector<int32_t> Chat::prompt(const std::vector<Message>& messages) const {
  return encode(rendered(messages, true));
}

std::shared_ptr<const TokenizedMessage> Chat::tokenize(Message message) const {
  std::optional<std::vector<int32_t>> ids;
  if (opening_) {
    const Rendered alone = rendered({message}, false);
    if (tokenizer_.is_separable(alone.text, alone.content)) ids = encode(alone);
  }
  return std::make_shared<const TokenizedMessage>(TokenizedMessage{std::move(message), std::move(ids)});
}

std::vector<int32_t> Chat::prompt_of(const TokenizedMessages& lines) const {
  if (!opening_ || std::any_of(lines.begin(), lines.end(), [](const auto& line) { return !line->ids; })) {
    std::vector<Message> messages;
    for (const auto& line : lines) messages.push_back(line->message);
    return prompt(messages);
  }
  std::vector<int32_t> all;
  for (const auto& line : lines) all.insert(all.end(), line->ids->begin(), line->ids->end());
  all.insert(all.end(), opening_->begin(), opening_->end());
  return all;
}

std::vector<int32_t> Chat::answer(const std::string& text) const {
  auto ids = tokenizer_.encode(text);
  ids.push_back(tokenizer_.end_token());
  return ids;
}

std::vector<int32_t> repeat_placeholders(std::span<const int32_t> ids, int32_t placeholder,
                                         std::span<const int64_t> counts) {
  const auto found = static_cast<size_t>(std::count(ids.begin(), ids.end(), placeholder));
  if (found != counts.size()) {
    throw Error("", fmt::format("{} picture placeholders, but {} pictures", found, counts.size()),
                "add {\"type\": \"image\"} to a message for each picture", Exit::data);
  }
  std::vector<int32_t> result;
  size_t picture = 0;
  for (const int32_t id : ids) {
    const int64_t times = id == placeholder ? counts[picture++] : 1;
    result.insert(result.end(), static_cast<size_t>(std::max<int64_t>(times, 0)), id);
  }
  return result;
}

}  // namespace compeer::language
