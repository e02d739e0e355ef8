#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "spec/schema.h"

namespace compeer::spec {

/// The settings as the user wrote them, unchecked: a tree of values and the origin of each.
/// Paths are dotted: "grpo.lr", "rewards[0].weight". A key that is not a bare TOML key is quoted: grpo."a b".
struct Draft {
  json values = json::object();
  /// Path of every table, list and value -> "experiments/x.toml:14", "script.lua:8", "--set". "" is the whole draft.
  std::map<std::string, std::string> origins;
  /// Files that the draft was made from, name -> text: "scripts/x.lua" -> text. They are stored in spec.json.
  std::map<std::string, std::string> sources;
  /// A setting that was given by its name in the version before (renamed.h).
  struct Renamed {
    std::string now, origin;  ///< its present path; its origin
  };
  std::map<std::string, Renamed> renamed = {};  ///< former path -> setting; `values` and `origins` have present paths

  /// Returns the origin of the path or of the nearest enclosing table or list that has one; "" if none has.
  std::string origin_of(const std::string& path) const;
};

/// One change to a draft. If `value` is a table, it is merged into the table at `path`, unless one of them names a run
/// (see `names_run`); null unsets the setting; any other value replaces the old one.
struct Change {
  std::string path;
  json value;
  std::string origin;
};

/// True for { run = "NAME" }, which stands for the path of that run's output (runs.h).
bool names_run(const json& value);

/// Reads a TOML file, which is found by `locate` (paths.h). Throws Error (exit 3) at "file:line", with the offending
/// text, if the file is missing or is not valid TOML, and for input that the parser can't handle: more than 1 MiB, NUL
/// bytes, invalid UTF-8, keys of more than 64 parts, values nested more than 64 deep.
Draft load_toml(const std::filesystem::path& file);

/// Parses TOML text as `load_toml` does. `name` is the file's name in origins. Settings with their names in the version
/// before are renamed (renamed.h).
Draft parse_toml(const std::string& text, const std::string& name);

/// Parses the value of `--set key=value`: a TOML value, or `null` to unset the key. Other text is a string that needs
/// no quotes: results/x/last. Throws Error (exit 3) for a malformed list, table or quoted string.
json parse_set_value(const std::string& text);

/// Parses "grpo.lr=1e-4" into a change with origin "--set". Throws Error (exit 2) if the key or the "=" is missing.
Change parse_set(const std::string& text);

/// Applies one change as `with` does. Makes missing tables and lists on the path. `rewards[0].weight` and
/// `rewards.0.weight` are the same; an index one past the end appends an item. Throws Error (exit 3) at `origin` if the
/// path leads into a value that is neither table nor list, or to an item that a list does not have.
void set(Draft& draft, const std::string& path, const json& value, const std::string& origin);

/// Returns a copy with the changes applied in order, so that later ones take precedence. Tables are merged recursively;
/// lists and plain values are replaced. If a change gives a section another `plugin` than it had, the old plugin's own
/// settings are removed first and only the section's keys (such as weight, label, tokenizer) are kept. A plugin among
/// the settings of another plugin is removed with all its settings if a change names another one in its place. There a
/// name is short for the table {plugin = name}. Settings with their names in the version before are renamed
/// (renamed.h).
Draft with(const Draft& base, const std::vector<Change>& changes);

/// Returns a copy of `base` with the values, origins, sources and renamed settings of `changes` merged in, as by
/// `with`.
Draft merge(const Draft& base, const Draft& changes);

}  // namespace compeer::spec
