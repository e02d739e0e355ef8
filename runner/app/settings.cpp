// compeer settings: prints the settings of a spec, except those of plugins.
#include "app/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "base/error.h"
#include "spec/core_schema.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

// A plugin's descriptor may contain any bytes: escapes those that are not printable.
std::string short_line(const std::string& text) { return spec::printable(text, 200); }

std::string default_of(const spec::SettingSchema& setting) {
  if (!setting.default_value) return "required";
  return setting.default_value->is_null() ? "not set by default" : "default " + spec::show(*setting.default_value);
}

void print_setting(const spec::SettingSchema& one, size_t width, const std::string& indent) {
  std::cout << fmt::format("{}{:<{}}  {}; {}\n", indent, short_line(one.name), width, short_line(spec::describe(one)),
                           short_line(default_of(one)));
  if (!one.help.empty()) std::cout << fmt::format("{}{:<{}}  {}\n", indent, "", width, short_line(one.help));
}

void print_section(const spec::Section& section) {
  const auto& setting = section.parameter;
  if (setting.fields.empty()) return print_setting(setting, setting.name.size(), "");
  const bool list = setting.type == spec::Type::list;
  const auto tasks = section.tasks.empty() ? "" : fmt::format("; for {}", fmt::join(section.tasks, ", "));
  const auto more = section.plugin_kind.empty() ? "" : "; settings of the plugin: compeer plugins inspect NAME";
  std::cout << fmt::format("{}{}{}  {}{}{}\n", list ? "[[" : "[", setting.name, list ? "]]" : "]", setting.help, tasks,
                           more);
  print_settings(setting.fields, "  ");
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& section : spec::core_schema()) {
    const auto& table = section.parameter;
    names.push_back(table.name);
    for (const auto& field : table.fields) names.push_back(table.name + "." + field.name);
  }
  return names;
}

int print_setting(const std::string& name) {
  if (name.empty()) {
    for (const auto& section : spec::core_schema()) print_section(section);
    return 0;
  }
  const auto dot = name.find('.');
  const auto* section = spec::find_section(name.substr(0, dot));
  const auto* field =
      section && dot != std::string::npos ? spec::find(section->parameter.fields, name.substr(dot + 1)) : nullptr;
  if (!section || (dot != std::string::npos && !field))
    throw Error(spec::printable(name), "no such setting", suggest(name, all_names(), "compeer settings"), Exit::usage);
  field ? print_setting(*field, field->name.size(), "") : print_section(*section);
  return 0;
}

}  // namespace

void print_settings(const spec::Schema& schema, const std::string& indent) {
  size_t width = 0;
  for (const auto& one : schema) width = std::max(width, one.name.size());
  for (const auto& one : schema) {
    print_setting(one, width, indent);
    print_settings(one.fields, indent + std::string(width + 2, ' '));
  }
}

void add_settings(CLI::App& command, Action& action) {
  auto name = std::make_shared<std::string>();
  command.add_option("NAME", *name, "print only this table or this key: grpo, grpo.clip");
  command.callback([name, &action] { action = [name] { return print_setting(*name); }; });
}

}  // namespace compeer::app
