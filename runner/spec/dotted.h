#pragma once
#include <string>
#include <vector>

// Dotted paths, which address settings of a run in files, scripts, options and messages: "rewards[0].weight".

namespace compeer::spec {

/// One part of a dotted path. `0` and `[0]` are the same part: an index into a list, or a key of a table.
struct PathPart {
  std::string key;        ///< without quotes and brackets
  bool is_index = false;  ///< true if the part is one to nine digits without quotes
  size_t index = 0;       ///< value of the digits, if `is_index`
};

/// Splits a path: "rewards[0].weight" -> rewards, 0, weight. Parts may be quoted: model."a b". Throws Error (exit code
/// 3: mistake in a spec), with `where` as its location, if the path is empty, malformed or has more than 64 parts.
std::vector<PathPart> parse_path(const std::string& path, const std::string& where);

/// Returns the path of a key in the table at path `table` ("" is the whole spec): ("grpo", "lr") -> "grpo.lr". Quotes
/// the key if necessary.
std::string join(const std::string& table, const std::string& key);
/// Returns the path of an item (from 0) of the list at path `list`: ("rewards", 0) -> "rewards[0]".
std::string join(const std::string& list, size_t index);

/// Returns the path of the enclosing table or list: "rewards[0].weight" -> "rewards[0]" -> "rewards" -> "".
std::string parent(const std::string& path);

/// True if the path `path` is `ancestor` or lies inside the table or list at `ancestor`.
bool within(const std::string& path, const std::string& ancestor);

/// Returns a key as it is written in TOML: bare if possible, otherwise quoted.
std::string quoted_key(const std::string& key);

}  // namespace compeer::spec
