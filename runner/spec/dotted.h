#pragma once
#include <string>
#include <vector>

namespace compeer::spec {

/// One part of a dotted path. `[0]` is an index; a bare `0` is one wherever a list stands or is to be made.
struct PathPart {
  std::string key;
  bool is_index = false;  ///< written as digits; `index` is their value
  size_t index = 0;
};

/// "rewards[0].weight" -> rewards, 0, weight. Parts may be quoted: model."a b". Throws Error (exit 3, with `where`)
/// for a path that is empty, malformed or of more than 64 parts.
std::vector<PathPart> parse_path(const std::string& path, const std::string& where);

/// The path of a key in the table at `table` ("" is the whole spec), of an item in the list at `list`.
std::string join(const std::string& table, const std::string& key);
std::string join(const std::string& list, size_t index);

/// The path of the table or list around it: "rewards[0].weight" -> "rewards[0]" -> "rewards" -> "".
std::string parent(const std::string& path);

/// True if `path` is `ancestor` or lies inside it.
bool within(const std::string& path, const std::string& ancestor);

/// A key as TOML writes it: bare if it can be, else quoted.
std::string quoted_key(const std::string& key);

}  // namespace compeer::spec
