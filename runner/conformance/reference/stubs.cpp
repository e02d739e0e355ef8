// `compeer plugins stubs`: declarations with which editors complete and check scripts.
#include "conformance/reference/stubs.h"

#include <fmt/format.h>

#include <iostream>
#include <map>

#include "spec/core_schema.h"
#include "spec/text.h"

namespace compeer::conformance {

namespace {

using spec::SettingSchema;
using spec::Type;

// Returns the class name of a table, which follows from its place: compeer.rewards.length
std::string below(const std::string& place, const std::string& name) {
  std::string all = place + ".";
  for (const char c : name) all += c == '-' ? '_' : c;
  return all;
}

// Returns a Lua string literal; text from a descriptor can't terminate it.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : spec::printable(text, 200)) safe += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return "\"" + safe + "\"";
}

std::string alternatives(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all += (all.empty() ? "" : "|") + text;
  return all;
}

std::string item_type(const SettingSchema& parameter, Type type, const std::string& place) {
  switch (type) {
    case Type::integer:
      return "integer";
    case Type::number:
      return "number";
    case Type::boolean:
      return "boolean";
    case Type::table:
      return parameter.fields.empty() ? "table<string, any>" : below(place, parameter.name);
    case Type::plugin:
      return below("compeer", parameter.kind);
    case Type::path:
      return "string|compeer.Output";
    default:
      break;
  }
  std::vector<std::string> choices;
  for (const auto& choice : parameter.choices) choices.push_back(quoted(choice));
  return choices.empty() ? "string" : alternatives(choices);
}

std::string type_of(const SettingSchema& parameter, const std::string& place) {
  if (parameter.type != Type::list) return item_type(parameter, parameter.type, place);
  return "(" + item_type(parameter, parameter.items, place) + ")[]";
}

std::string key(const std::string& name) {
  constexpr auto letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const bool plain = name.find_first_not_of(letters) == std::string::npos && name.find_first_of("0123456789") != 0;
  return plain ? name : "[" + quoted(name) + "]";
}

// Returns "required", "unset", or the default as in a spec.
std::string default_text(const SettingSchema& parameter) {
  const auto& standard = parameter.default_value;
  return !standard ? "required" : standard->is_null() ? "unset" : spec::canonical_json(*standard);
}

// Returns "a number above 0; default 0.2". Empty for a table with declared keys, whose own rules are listed.
std::string rule(const SettingSchema& parameter) {
  const auto standard = default_text(parameter);
  const bool word = standard == "required" || standard == "unset";
  if (!parameter.fields.empty()) return word ? standard : "";
  return spec::printable(spec::describe(parameter), 500) + "; " +
         (word ? standard : "default " + spec::printable(standard, 200));
}

// Every field is optional, because scripts often write only a part of a spec.
std::string field(const SettingSchema& parameter, const std::string& place) {
  const auto rules = rule(parameter);
  return fmt::format("---@field {}? {} {}{}\n", key(parameter.name), type_of(parameter, place),
                     spec::printable(parameter.help, 500), rules.empty() ? "" : " (" + rules + ")");
}

std::string class_of(const std::string& place, const std::string& base, const spec::Schema& schema,
                     const std::string& first = "") {
  std::string inner, text = fmt::format("---@class {}{}\n{}", place, base.empty() ? "" : " : " + base, first);
  for (const auto& one : schema) {
    text += field(one, place);
    if (!one.fields.empty()) inner += class_of(below(place, one.name), "", one.fields);
  }
  return inner + text + "\n";
}

spec::Schema without_plugin(spec::Schema schema) {
  std::erase_if(schema, [](const SettingSchema& one) { return one.name == "plugin"; });
  return schema;
}

// Returns the class with the keys that a section has in addition to its plugin's; the plugins' classes derive from it.
std::string section_class(const std::string& kind) { return below("compeer.section", kind); }

std::string section_classes() {
  std::string text;
  for (const auto& section : spec::core_schema()) {
    const auto& parameter = section.parameter;
    if (parameter.fields.empty()) continue;
    text += section.plugin_kind.empty()
                ? class_of(below("compeer.Spec", parameter.name), "", parameter.fields)
                : class_of(section_class(section.plugin_kind), "", without_plugin(parameter.fields));
  }
  return text;
}

std::string spec_class() {
  std::string text = "---What a run is described by. Keys may be nested or dotted paths: `[\"grpo.lr\"] = 1e-4`.\n";
  text += "---@class compeer.Spec\n---@field [string] any\n";
  for (const auto& section : spec::core_schema()) {
    const auto& [parameter, tasks, kind] = section;
    const auto plugin = below("compeer", kind) + (parameter.type == Type::list ? "[]" : "");
    text += kind.empty() ? field(parameter, "compeer.Spec")
                         : fmt::format("---@field {}? {} {}\n", parameter.name, plugin, parameter.help);
  }
  return text + "\n";
}

bool has_section(const std::string& kind) {
  for (const auto& section : spec::core_schema()) {
    if (section.plugin_kind == kind) return true;
  }
  return false;
}

std::string plugin_class(const plugin::Descriptor& descriptor) {
  const auto place = below(below("compeer", descriptor.kind), descriptor.name);
  const auto base = has_section(descriptor.kind) ? section_class(descriptor.kind) : "";
  return "---" + spec::printable(descriptor.summary, 500) + "\n" +
         class_of(place, base, descriptor.parameters, "---@field plugin? " + quoted(descriptor.name) + "\n");
}

// Declares what may be given where a plugin of the kind is expected: a table or, within another plugin's settings, a
// name.
std::string alias(const std::string& kind, const std::vector<std::string>& names) {
  const bool bare = !has_section(kind);
  std::vector<std::string> all;
  for (const auto& name : names) {
    if (bare) all.push_back(quoted(name));
    all.push_back(below(below("compeer", kind), name));
  }
  if (all.empty()) all.emplace_back(bare ? "string" : "table");
  return fmt::format("---@alias {} {}\n", below("compeer", kind), alternatives(all));
}

}  // namespace

std::string lua_stubs(const std::vector<plugin::Found>& plugins) {
  std::string classes, aliases;
  std::map<std::string, std::vector<std::string>> names;
  for (const auto& found : plugins) {
    if (!found.problem.empty() || found.shadowed) continue;
    names[found.kind].push_back(found.name);
    classes += plugin_class(found.descriptor);
  }
  for (const auto& kind : plugin::kinds()) aliases += alias(kind, names[kind]);
  return fmt::format("{}\n{}{}{}{}\nreturn compeer\n", module_stubs, spec_class(), section_classes(), classes, aliases);
}

}  // namespace compeer::conformance
