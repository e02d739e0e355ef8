// Reads, prints and describes the schema of settings that a plugin's descriptor declares.
#include "spec/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "spec/check.h"
#include "spec/dotted.h"

namespace compeer::spec {

namespace {

using ordered_json = nlohmann::ordered_json;

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> all = {"integer", "number", "boolean", "string",
                                               "path",    "list",   "table",   "plugin"};
  return all;
}

// Reads one parameter of a descriptor. Errors name the parameter; they are faults of the plugin (exit 5).
class SchemaReader {
 public:
  SchemaReader(const std::string& where, const std::string& path) : where_(where), path_(path) {}

  SettingSchema read(const std::string& name, const ordered_json& text) {
    if (!text.is_object()) fail("must be a table such as {\"type\": \"number\", \"default\": 1.0}");
    known_keys(text);
    if (!plain(name)) fail("has a name with characters other than letters, digits, '_' and '-'");
    SettingSchema made;
    made.name = name;
    if (!text.contains("type")) fail("has no \"type\"", "one of " + joined(type_names()));
    made.type = type(text.at("type"));
    if (text.contains("items")) made.items = type(text.at("items"));
    if (text.contains("items") && made.items == Type::plugin) fail("can't be a list of plugins");
    made.kind = kind(made.type, text);
    made.min = limit(text, "min");
    made.max = limit(text, "max");
    if (const auto above = limit(text, "above")) made.min = above, made.above_min = true;
    if (const auto below = limit(text, "below")) made.max = below, made.below_max = true;
    if (nothing_between(made)) fail("has limits that allow no value", "set the minimum below the maximum");
    if (text.contains("choices")) made.choices = strings(text.at("choices"));
    if (text.contains("help") && text.at("help").is_string()) made.help = text.at("help");
    if (text.contains("parameters")) made.fields = inside(text.at("parameters"));
    if (text.contains("open")) made.open = open(made, text.at("open"));
    if (text.contains("contents_of")) made.contents_of = contents_of(made, text);
    if (text.contains("run_folder")) made.run_folder = run_folder(made, text.at("run_folder"));
    if (text.contains("default")) made.default_value = checked_default(made, text.at("default"));
    return made;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& help = "") const {
    throw Error(where_, fmt::format("parameter '{}' {}", printable(path_), what), help, Exit::plugin);
  }

 private:
  // True if a name needs no quotes in TOML and in dotted paths.
  static bool plain(const std::string& name) {
    constexpr auto ok = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !name.empty() && name.find_first_not_of(ok) == std::string::npos;
  }

  static bool nothing_between(const SettingSchema& made) {
    if (!made.min || !made.max) return false;
    return *made.min > *made.max || (*made.min == *made.max && (made.above_min || made.below_max));
  }

  void known_keys(const ordered_json& text) const {
    static const std::vector<std::string> known = {"type",  "default",     "min",        "max",   "above",
                                                   "below", "choices",     "help",       "items", "parameters",
                                                   "open",  "contents_of", "run_folder", "kind"};
    for (const auto& [key, value] : text.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(fmt::format("has an unknown key '{}'", printable(key)), suggest(key, known));
      }
    }
  }

  Type type(const ordered_json& text) const {
    const auto name = text.is_string() ? text.get<std::string>() : show(text);
    const auto found = std::find(type_names().begin(), type_names().end(), name);
    if (found == type_names().end()) {
      fail(fmt::format("has an unknown type '{}'", printable(name)), suggest(name, type_names()));
    }
    return static_cast<Type>(found - type_names().begin());
  }

  // Returns the kind of a plugin; "" for other types.
  std::string kind(Type type, const ordered_json& text) const {
    if (text.contains("kind") != (type == Type::plugin)) {
      fail(type == Type::plugin ? "has no \"kind\"" : "has a \"kind\", but is not of type \"plugin\"",
           R"(write "type": "plugin", "kind": "similarity")");
    }
    if (type != Type::plugin) return "";
    if (!text.at("kind").is_string() || text.at("kind") == "") fail("has a \"kind\" that is not a name");
    return text.at("kind");
  }

  std::optional<double> limit(const ordered_json& text, const char* key) const {
    if (!text.contains(key)) return {};
    if (!text.at(key).is_number()) fail(fmt::format("has a \"{}\" that is not a number", key));
    return text.at(key).get<double>();
  }

  std::vector<std::string> strings(const ordered_json& text) const {
    const bool right = text.is_array() && !text.empty() &&
                       std::all_of(text.begin(), text.end(), [](const auto& item) { return item.is_string(); });
    if (!right) fail("has \"choices\" that are not a list of strings");
    return text.get<std::vector<std::string>>();
  }

  Schema inside(const ordered_json& text) const {
    if (!text.is_object()) fail("has \"parameters\" that are not a table");
    Schema fields;
    for (const auto& [key, value] : text.items())
      fields.push_back(SchemaReader(where_, join(path_, key)).read(key, value));
    return fields;
  }

  bool open(const SettingSchema& parameter, const ordered_json& value) const {
    if (!value.is_boolean()) fail("has an \"open\" that is neither true nor false");
    if (parameter.type != Type::table || !parameter.fields.empty()) {
      fail("is \"open\", which only a table without \"parameters\" can be");
    }
    return value.get<bool>();
  }

  bool run_folder(const SettingSchema& parameter, const ordered_json& value) const {
    if (!value.is_boolean()) fail("has a \"run_folder\" that is neither true nor false");
    if (parameter.type != Type::path) fail("has \"run_folder\", which only a path can have");
    return value.get<bool>();
  }

  std::string contents_of(const SettingSchema& parameter, const ordered_json& text) const {
    const bool unset = text.contains("default") && text.at("default").is_null();
    if (parameter.type != Type::string || !unset || !text.at("contents_of").is_string()) {
      fail("has \"contents_of\", which needs a string with \"default\": null, and the name of a path");
    }
    return text.at("contents_of");
  }

  json checked_default(const SettingSchema& parameter, json value) const {
    if (value.is_null()) return value;
    if (parameter.type == Type::plugin) {
      if (!value.is_string()) fail("has a default that is not the name of a plugin");
      return value;
    }
    if (const auto wrong = normalise(parameter, value)) fail(fmt::format("has a default that {}", wrong->what));
    return value;
  }

  static std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

  const std::string& where_;
  std::string path_;
};

// Returns " from 1 to 4096", " above 0 and below 1", " of at least 0", or "" without limits.
std::string range(const SettingSchema& parameter) {
  const auto least = parameter.min, most = parameter.max;
  if (least && most && !parameter.above_min && !parameter.below_max)
    return fmt::format(" from {} to {}", *least, *most);
  std::string text;
  if (least) text = fmt::format(" {} {}", parameter.above_min ? "above" : "of at least", *least);
  if (least && most) text += " and";
  if (most) text += fmt::format(" {} {}", parameter.below_max ? "below" : least ? "at most" : "of at most", *most);
  return text;
}

// The limits of a list apply to its number of items.
std::string list(const SettingSchema& parameter) {
  auto items = parameter.items == Type::boolean ? "booleans" : type_name(parameter.items) + "s";
  if (!parameter.choices.empty()) items += fmt::format(" out of {}", fmt::join(parameter.choices, ", "));
  const auto least = parameter.min, most = parameter.max;
  if (least == 1 && !most) return fmt::format("a list of one or more {}", items);
  if (least && most) return fmt::format("a list of {} to {} {}", *least, *most, items);
  if (least) return fmt::format("a list of {} or more {}", *least, items);
  if (most) return fmt::format("a list of at most {} {}", *most, items);
  return "a list of " + items;
}

}  // namespace

Schema parse_schema(const ordered_json& parameters, const std::string& where) {
  if (!parameters.is_object()) throw Error(where, "\"parameters\" must be a table", "", Exit::plugin);
  Schema schema;
  for (const auto& [key, value] : parameters.items()) schema.push_back(SchemaReader(where, key).read(key, value));
  for (const auto& parameter : schema) {
    const auto* path = parameter.contents_of.empty() ? nullptr : find(schema, parameter.contents_of);
    if (parameter.contents_of.empty() || (path && path->type == Type::path)) continue;
    SchemaReader(where, parameter.name)
        .fail("has \"contents_of\", but there is no path '" + parameter.contents_of + "'");
  }
  return schema;
}

ordered_json schema_json(const Schema& schema) {
  auto out = ordered_json::object();
  for (const auto& parameter : schema) {
    auto& entry = out[parameter.name];
    entry["type"] = type_name(parameter.type);
    if (parameter.type == Type::list) entry["items"] = type_name(parameter.items);
    if (parameter.type == Type::plugin) entry["kind"] = parameter.kind;
    if (parameter.default_value) entry["default"] = *parameter.default_value;
    if (parameter.min) entry[parameter.above_min ? "above" : "min"] = *parameter.min;
    if (parameter.max) entry[parameter.below_max ? "below" : "max"] = *parameter.max;
    if (!parameter.choices.empty()) entry["choices"] = parameter.choices;
    if (!parameter.help.empty()) entry["help"] = parameter.help;
    if (!parameter.fields.empty()) entry["parameters"] = schema_json(parameter.fields);
    if (parameter.open) entry["open"] = true;
    if (!parameter.contents_of.empty()) entry["contents_of"] = parameter.contents_of;
    if (parameter.run_folder) entry["run_folder"] = true;
  }
  return out;
}

std::string type_name(Type type) { return type_names()[static_cast<size_t>(type)]; }

std::string describe(const SettingSchema& parameter) {
  if (parameter.type != Type::list && !parameter.choices.empty()) {
    return fmt::format("one of {}", fmt::join(parameter.choices, ", "));
  }
  switch (parameter.type) {
    case Type::integer:
      return "an integer" + range(parameter);
    case Type::list:
      return list(parameter);
    case Type::boolean:
      return "true or false";
    case Type::path:
      return "a path (a string or { run = \"NAME\" })";
    case Type::plugin:
      return fmt::format("a {} plugin (its name, or a table with its settings)", singular(parameter.kind));
    default:
      return "a " + type_name(parameter.type) + range(parameter);
  }
}

std::vector<std::string> names(const Schema& schema) {
  std::vector<std::string> all;
  for (const auto& parameter : schema) all.push_back(parameter.name);
  return all;
}

const SettingSchema* find(const Schema& schema, const std::string& name) {
  const auto found = std::find_if(schema.begin(), schema.end(), [&](const auto& p) { return p.name == name; });
  return found == schema.end() ? nullptr : &*found;
}

}  // namespace compeer::spec
