#include "contract/reference/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "spec/canonical.h"
#include "spec/core_schema.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::contract {

namespace {

// Text of a descriptor on one line.
std::string one_line(const std::string& text) { return spec::printable(text, 1000); }

// The same for prose, which is shown as it was written: no HTML, no links, no pictures.
std::string prose(const std::string& text) {
  std::string safe;
  for (const char c : one_line(text)) safe += c == '<' ? "&lt;" : c == '[' ? "\\[" : std::string(1, c);
  return safe;
}

// The same for code. A backtick would end it; in JSON it can be written otherwise.
std::string code(const std::string& json) {
  std::string safe;
  for (const char c : one_line(json)) safe += c == '`' ? "\\u0060" : std::string(1, c);
  return "`" + safe + "`";
}

// A word that begins so may begin a line: Markdown takes it for nothing else, as it may take "-" or "1.".
bool begins_line(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '"' || c == '(' || (c & 0x80); }

size_t characters(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// A paragraph in lines of at most 120 characters, those after the first behind an indent.
std::string filled(const std::string& text, const std::string& indent = "") {
  std::string all;
  size_t width = 0;
  for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find(' ', at);
    while (end < text.size() && !begins_line(text[end + 1])) end = text.find(' ', end + 1);
    end = std::min(end, text.size());
    const auto part = text.substr(at, end - at);
    const bool fits = at == 0 || width + 1 + characters(part) <= 120;
    all += at == 0 ? "" : fits ? " " : "\n" + indent;
    width = (at == 0 ? 0 : fits ? width + 1 : indent.size()) + characters(part);
    all += part;
  }
  return all;
}

// How a spec names a plugin of this kind; "" if other plugins' settings do.
std::string example(const plugin::Descriptor& descriptor) {
  for (const auto& section : spec::core_schema()) {
    if (section.plugin_kind != descriptor.kind) continue;
    const char* brackets = section.parameter.type == spec::Type::list ? "[[{}]]" : "[{}]";
    return fmt::format("```toml\n{}\nplugin = \"{}\"\n```\n\n",
                       fmt::format(fmt::runtime(brackets), section.parameter.name), descriptor.name);
  }
  return "";
}

std::string items(const spec::Schema& schema, const std::string& path) {
  std::string text;
  for (const auto& one : schema) {
    const auto name = path.empty() ? one.name : spec::join(path, one.name);
    const auto standard = default_text(one);
    const bool word = standard == "required" || standard == "unset";
    const auto value = prose(spec::describe(one)) + "; " + (word ? standard : "default " + code(standard));
    text += filled(fmt::format("- `{}` ({}): {}", one_line(name), value, prose(one.help)), "  ") + "\n";
    text += items(one.fields, name);
  }
  return text;
}

}  // namespace

std::string default_text(const spec::SettingSchema& parameter) {
  const auto& standard = parameter.default_value;
  return !standard ? "required" : standard->is_null() ? "unset" : spec::canonical_json(*standard);
}

std::string plugin_page(const plugin::Descriptor& descriptor) {
  const auto title = descriptor.kind + "/" + descriptor.name;
  const auto summary = fmt::format("{} Version {}.", prose(descriptor.summary), prose(descriptor.version));
  const auto settings = descriptor.parameters.empty() ? "It has no settings.\n" : items(descriptor.parameters, "");
  const auto& columns = descriptor.columns;
  const auto told = columns.empty() ? "" : filled(fmt::format("Columns: `{}`.", fmt::join(columns, "`, `"))) + "\n\n";
  return fmt::format("# {0}\n\n{1}\n\n{2}{3}{4}\nMade by `compeer plugins inspect {0} --markdown`.\n", title,
                     filled(summary), told, example(descriptor), settings);
}

std::string plugin_index(const std::vector<plugin::Found>& plugins) {
  std::string text = "# Plugins\n", kind;
  for (const auto& found : plugins) {
    if (!found.problem.empty() || found.shadowed) continue;
    if (found.kind != kind) text += fmt::format("\n## {}\n\n", found.kind);
    kind = found.kind;
    const auto summary = prose(found.descriptor.summary);
    text += filled(fmt::format("- [`{0}`]({1}/{0}.md): {2}", found.name, kind, summary), "  ") + "\n";
  }
  return text + "\nMade by `compeer plugins list --markdown`.\n";
}

}  // namespace compeer::contract
