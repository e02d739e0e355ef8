// Prints a resolved spec as TOML that resolves to the same spec.
#include <fmt/format.h>

#include "spec/core_schema.h"
#include "spec/dotted.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::spec {

namespace {

bool is_table_list(const json& value) { return value.is_array() && !value.empty() && value[0].is_object(); }
bool has_header(const json& value) { return value.is_object() || is_table_list(value); }

// Prints a value on one line. Strings are written as in JSON, except that TOML requires DEL to be escaped.
std::string inline_value(const json& value) {
  if (value.is_string()) {
    std::string text;
    for (const char c : value.dump()) text += c == 0x7F ? "\\u007F" : std::string(1, c);
    return text;
  }
  if (!value.is_array()) return canonical_json(value);
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : ", ") + inline_value(item);
  return "[" + text + "]";
}

class Printer {
 public:
  Printer(const Spec& spec, bool with_origins) : spec_(spec), with_origins_(with_origins) {}

  // Prints the sections in the order of the core schema.
  std::string print() {
    json known = json::object();
    std::vector<std::string> order;
    for (const auto& section : core_schema()) order.push_back(section.parameter.name);
    for (const bool headers : {false, true}) {
      for (const auto& name : order) {
        if (spec_.values.contains(name)) entry(name, spec_.values.at(name), name, headers);
      }
    }
    if (spec_.values.contains("inputs")) {
      text_ += "\n# Contents of the files and folders named above, which are part of the hash:\n";
      for (const auto& [path, hash] : spec_.values.at("inputs").items())
        text_ += fmt::format("#   {} {}\n", printable(path, 256), printable(hash.get<std::string>(), 80));
    }
    return text_;
  }

 private:
  // Prints plain values before tables with headers of their own: after a header they would belong to that table.
  void table(const json& values, const std::string& path) {
    for (const bool headers : {false, true}) {
      // "plugin" first: the meaning of the other keys depends on it
      if (!headers && values.contains("plugin")) entry("plugin", values.at("plugin"), join(path, "plugin"), false);
      for (const auto& [key, value] : values.items()) {
        if (key != "plugin") entry(key, value, join(path, key), headers);
      }
    }
  }

  void entry(const std::string& key, const json& value, const std::string& path, bool headers) {
    if (value.is_null() || has_header(value) != headers) return;
    if (!headers) {
      const auto origin = spec_.origins.find(path);
      if (origin != spec_.origins.end() && origin->second == from_contents) return;  // another key names its file
      auto line = fmt::format("{} = {}", quoted_key(key), inline_value(value));
      if (with_origins_ && origin != spec_.origins.end())
        line = fmt::format("{:<40} # {}", line, printable(origin->second, 200));
      text_ += line + '\n';
    } else if (value.is_object()) {
      text_ += fmt::format("\n[{}]\n", header(path));
      table(value, path);
    } else {
      for (size_t i = 0; i < value.size(); ++i) {
        text_ += fmt::format("\n[[{}]]\n", header(path));
        table(value[i], join(path, i));
      }
    }
  }

  // Returns the path without list indices: in TOML the header of a table in a list refers to the list's latest item.
  static std::string header(const std::string& path) {
    std::string text;
    for (const auto& step : parse_path(path, path)) {
      if (!step.is_index) text += (text.empty() ? "" : ".") + quoted_key(step.key);
    }
    return text;
  }

  const Spec& spec_;
  const bool with_origins_;
  std::string text_;
};

}  // namespace

std::string Spec::toml(bool with_origins) const { return Printer(*this, with_origins).print(); }

}  // namespace compeer::spec
