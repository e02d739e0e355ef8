#include "contract/reference/page.h"

#include <fmt/format.h>

#include "spec/canonical.h"
#include "spec/core_schema.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::contract {

namespace {

// Text of a descriptor on one line. What would end the cell of a table stands behind a backslash.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : spec::printable(text, 1000)) safe += (c == '|' ? "\\" : "") + std::string(1, c);
  return safe;
}

// The same for prose, which is shown as it was written: no HTML, no links, no pictures.
std::string prose(const std::string& text) {
  std::string safe;
  for (const char c : cell(text)) safe += c == '<' ? "&lt;" : c == '[' ? "\\[" : std::string(1, c);
  return safe;
}

// The same for code. A backtick would end it; in JSON it can be written otherwise.
std::string code(const std::string& json) {
  std::string safe;
  for (const char c : cell(json)) safe += c == '`' ? "\\u0060" : std::string(1, c);
  return "`" + safe + "`";
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

std::string rows(const spec::Schema& schema, const std::string& path) {
  std::string text;
  for (const auto& one : schema) {
    const auto name = path.empty() ? one.name : spec::join(path, one.name);
    const auto standard = default_text(one);
    const bool word = standard == "required" || standard == "unset";
    text += fmt::format("| `{}` | {} | {} | {} |\n", cell(name), prose(spec::describe(one)),
                        word ? standard : code(standard), prose(one.help));
    text += rows(one.fields, name);
  }
  return text;
}

}  // namespace

std::string default_text(const spec::Parameter& parameter) {
  const auto& standard = parameter.default_value;
  return !standard ? "required" : standard->is_null() ? "unset" : spec::canonical_json(*standard);
}

std::string plugin_page(const plugin::Descriptor& descriptor) {
  const auto title = descriptor.kind + "/" + descriptor.name;
  auto text = fmt::format("# {}\n\n{} Version {}.\n\n{}", title, prose(descriptor.summary), prose(descriptor.version),
                          example(descriptor));
  if (descriptor.parameters.empty()) {
    text += "It has no settings.\n";
  } else {
    text += "| setting | value | default | meaning |\n|---|---|---|---|\n" + rows(descriptor.parameters, "");
  }
  return text + fmt::format("\nMade by `compeer plugins inspect {} --markdown`.\n", title);
}

std::string plugin_index(const std::vector<plugin::Found>& plugins) {
  std::string text = "# Plugins\n", kind;
  for (const auto& found : plugins) {
    if (!found.problem.empty() || found.shadowed) continue;
    if (found.kind != kind) text += fmt::format("\n## {}\n\n| plugin | what |\n|---|---|\n", found.kind);
    kind = found.kind;
    text += fmt::format("| [`{0}`]({1}/{0}.md) | {2} |\n", found.name, kind, prose(found.descriptor.summary));
  }
  return text + "\nMade by `compeer plugins list --markdown`.\n";
}

}  // namespace compeer::contract
