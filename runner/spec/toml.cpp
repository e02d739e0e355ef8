// Parses TOML into drafts. The only source that includes toml++.
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(condition) (void)0  // invalid input can trigger its assertions; guard_toml() rejects such input
#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/error.h"
#include "base/files.h"
#include "spec/dotted.h"
#include "spec/draft.h"
#include "spec/guard.h"
#include "spec/paths.h"
#include "spec/renamed.h"
#include "spec/text.h"

namespace compeer::spec {

namespace {

constexpr size_t longest_path = 256;  // bytes of a dotted path; bounds the memory of a file with very many keys

std::string line_of(const std::string& text, size_t line) {
  size_t begin = 0;
  while (--line > 0 && begin < text.size()) begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  auto row = text.substr(begin, text.find('\n', begin) - begin);
  if (!row.empty() && row.back() == '\r') row.pop_back();
  return row;
}

toml::table parsed(const std::string& text, const std::string& name) {
  guard_toml(text, name);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    throw Error(fmt::format("{}:{}", name, line),
                fmt::format("{}: {}", printable(error.description(), 200), printable(line_of(text, line))));
  }
}

// Converts the tree of toml++ to values with origins.
class Converter {
 public:
  Converter(Draft& draft, const std::string& name) : draft_(draft), name_(name) {}

  json table(const toml::table& from, const std::string& path) {
    auto to = json::object();
    for (const auto& [key, value] : from) {
      const std::string name(key.str());
      const auto where = origin(key.source().begin.line);
      const auto inside = join(path, name);
      if (inside.size() > longest_path) throw Error(where, "a key that is too long: " + printable(inside));
      draft_.origins[inside] = where;
      to[name] = node(value, inside, where);
    }
    return to;
  }

 private:
  json node(const toml::node& from, const std::string& path, const std::string& where) {
    if (const auto* inner = from.as_table()) return table(*inner, path);
    if (const auto* items = from.as_array()) return list(*items, path);
    if (const auto* text = from.as_string()) return text->get();
    if (const auto* integer = from.as_integer()) return integer->get();
    if (const auto* number = from.as_floating_point()) return number->get();
    if (const auto* flag = from.as_boolean()) return flag->get();
    throw Error(where, fmt::format("'{}' is a date or time, but no setting has this type", printable(path)),
                "write it in quotes");
  }

  json list(const toml::array& from, const std::string& path) {
    auto to = json::array();
    for (const auto& item : from) {
      const auto where = origin(item.source().begin.line);
      // A list of plain values is one setting; only lists and tables in it have origins of their own.
      const bool plain = !item.is_table() && !item.is_array();
      const auto inside = plain ? path : join(path, to.size());
      if (!plain) draft_.origins[inside] = where;
      to.push_back(node(item, inside, where));
    }
    return to;
  }

  std::string origin(size_t line) const { return fmt::format("{}:{}", name_, line); }

  Draft& draft_;
  const std::string& name_;
};

}  // namespace

Draft parse_toml(const std::string& text, const std::string& name) {
  Draft draft;
  draft.origins[""] = name;
  draft.values = Converter(draft, name).table(parsed(text, name), "");
  draft.sources[name] = text;
  const auto renamed = rename_settings(draft.values);
  for (const auto& [before, now] : renamed) draft.renamed[before] = {now, draft.origin_of(before)};
  rename_paths(draft.origins, renamed);
  return draft;
}

Draft load_toml(const std::filesystem::path& file) {
  const auto found = locate(file);
  if (!found) throw Error(file.string(), "does not exist", nearest_files(file));
  std::string text;
  try {
    text = read_file(*found, (1 << 20) + 1);
  } catch (const Error& error) {
    if (error.exit() == Exit::failure) throw;
    throw Error(error.where(), error.problem(), error.help(), Exit::spec);
  }
  return parse_toml(text, file.string());
}

json parse_set_value(const std::string& text) {
  if (text == "null") return nullptr;
  const std::string name = "--set";
  try {
    const auto table = parsed("value = " + text, name);
    if (table.size() == 1) {
      Draft draft;
      return Converter(draft, name).table(table, "").at("value");
    }
  } catch (const Error& error) {
    const bool meant_as_toml = !text.empty() && std::string("[{\"'").find(text[0]) != std::string::npos;
    if (meant_as_toml) throw Error(name, error.problem(), error.help());
  }
  return text;
}

}  // namespace compeer::spec
