#pragma once
#include <string>
#include <vector>

namespace compeer::spec {

/// One part of a dotted path. `0` and `[0]` are the same part: an index into a list, or a key of a table.
struct PathPart {
  std::string key;
  bool is_index = false;  ///< true if `key` is one to nine digits without quotes
  size_t index = 0;       ///< value of the digits
};

/// Splits a path: "rewards[0].weight" -> rewards, 0, weight. Parts may be quoted: model."a b". Throws Error (exit 3) at
/// `where` if the path is empty, malformed or has more than 64 parts.
std::vector<PathPart> parse_path(const std::string& path, const std::string& where);

/// Returns the path of a key in the table at path `table`; "" is the whole spec. Quotes the key if necessary.
std::string join(const std::string& table, const std::string& key);
/// Returns the path of an item of the list at path `list`.
std::string join(const std::string& list, size_t index);

/// Returns the path of the enclosing table or list: "rewards[0].weight" -> "rewards[0]" -> "rewards" -> "".
std::string parent(const std::string& path);

/// True if `path` is `ancestor` or lies inside it.
bool within(const std::string& path, const std::string& ancestor);

/// Returns a key as it is written in TOML: bare if possible, otherwise quoted.
std::string quoted_key(const std::string& key);

}  // namespace compeer::spec
