#pragma once
#include <string>
#include <vector>

#include "spec/schema.h"

namespace compeer::spec {

/// Contents of a plugin's descriptor, which is read without running any code of the library. `path` is the file of the
/// library, `sha256` the hash of that file.
struct PluginInfo {
  std::string kind, name, version, path, sha256;
  Schema parameters;  ///< the plugin's own settings
};

/// Interface to the available plugins. plugin/search.h implements it by searching folders.
class Catalog {
 public:
  virtual ~Catalog() = default;

  /// Returns the sorted names of all plugins of a kind, including those whose files are broken.
  virtual std::vector<std::string> names(const std::string& kind) const = 0;

  /// Returns the descriptor of a plugin. `name` must be one of `names(kind)`. Throws Error (exit 5) that names file and
  /// cause if the file is broken.
  virtual PluginInfo find(const std::string& kind, const std::string& name) const = 0;

  /// Returns the folders that are searched for plugins of a kind, as lines to append to an error message. Each line
  /// starts with a newline.
  virtual std::string searched(const std::string&) const { return ""; }
};

}  // namespace compeer::spec
