#include "language/chat_template.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/plain_file.h"

namespace compeer::language {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr uint64_t kLargest = 1 << 20;  // bytes of a template

constexpr const char* kChatML =
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}";

}  // namespace

ChatTemplates::ChatTemplates(const fs::path& folder) : folder_(folder.string()) {
  if (const auto file = folder / "chat_template.jinja"; fs::exists(file)) {
    add("default", read_plain_file(file, kLargest), file.string());
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
      throw Error(where, "is neither a text nor a list of templates with names", "", Exit::data);
    }
    return;
  }
}

ChatTemplates ChatTemplates::chatml() {
  ChatTemplates templates;
  templates.add("default", kChatML, "ChatML");
  return templates;
}

void ChatTemplates::add(const std::string& name, const std::string& source, const std::string& where) {
  if (source.size() > kLargest) throw Error(where, "is larger than a mebibyte", "", Exit::data);
  templates_.push_back({name, jinja::Template(source, where)});
}

bool ChatTemplates::each_alone() const {
  const auto found =
      std::find_if(templates_.begin(), templates_.end(), [](const auto& t) { return t.name == "default"; });
  return found != templates_.end() && found->itself.each_alone();
}

const jinja::Template& ChatTemplates::choose(bool tools) const {
  const auto named = [&](const char* name) {
    return std::find_if(templates_.begin(), templates_.end(), [&](const Named& one) { return one.name == name; });
  };
  auto found = tools ? named("tool_use") : templates_.end();
  if (found == templates_.end()) found = named("default");
  if (found == templates_.end())
    throw Error(folder_, "has several chat templates, but none is called 'default'", "", Exit::data);
  return found->itself;
}

}  // namespace compeer::language
