#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "spec/schema.h"

namespace compeer::spec {

/// What a person wrote, before anything is checked: a tree of values and where each of them came from.
/// Paths are dotted: "grpo.lr", "rewards[0].weight"; a key that is no bare TOML key is quoted: grpo."a b".
struct Draft {
  json values = json::object();
  /// Path of every table, list and value -> "experiments/x.toml:14", "script.lua:8", "--set". "" is the whole draft.
  std::map<std::string, std::string> origins;
  /// Texts it was made from, kept in spec.json: "scripts/x.lua" -> text.
  std::map<std::string, std::string> sources;

  /// The origin of the path or of the nearest table around it.
  std::string origin_of(const std::string& path) const;
};

/// One change to a draft: a value at a path. A table is merged in, unless it names a run; null unsets the key, anything
/// else replaces.
struct Change {
  std::string path;
  json value;
  std::string origin;
};

/// True for { run = "NAME" }: a path that is named by the run whose output lies there (runs.h).
bool names_run(const json& value);

/// Reads a TOML file, looked for by `locate` (paths.h). Throws Error (exit 3) as "file:line" with the offending text.
/// Refuses what the parser can't take: more than 1 MiB, NUL bytes, invalid UTF-8, keys or values nested beyond 64.
Draft load_toml(const std::filesystem::path& file);

/// The same from text; `name` stands for the file in origins.
Draft parse_toml(const std::string& text, const std::string& name);

/// The value of `--set key=value`: TOML's value syntax; `null` unsets; another bare word is a string: results/x/last.
/// Throws Error (exit 3) for a list, table or quoted string that is not well formed.
json parse_set_value(const std::string& text);

/// "grpo.lr=1e-4" -> Change with origin "--set". Throws Error (exit 2) if there is no "=".
Change parse_set(const std::string& text);

/// Puts one value at a path, making tables on the way. `rewards[0].weight` and `rewards.0.weight` are the same;
/// an index one past the end appends. Throws Error (exit 3, where = origin) if the path can't be followed.
void set(Draft& draft, const std::string& path, const json& value, const std::string& origin);

/// A changed copy: all changes together, later ones winning. Tables merge deeply, lists and values are replaced.
/// A table that is given another `plugin` than it had starts afresh: of what stood there before, only the keys that
/// belong to the section itself (weight, label, tokenizer) stay, since the rest were the old plugin's own.
/// So does a plugin among another one's settings; its name alone is there taken for the table {plugin = name}.
Draft with(const Draft& base, const std::vector<Change>& changes);

/// The same with another draft as the changes.
Draft merge(const Draft& base, const Draft& changes);

}  // namespace compeer::spec
