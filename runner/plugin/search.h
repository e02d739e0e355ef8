#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plugin/descriptor.h"

namespace compeer::plugin {

/// Where plugins are looked for, first match wins: `given` (--plugin-dir), COMPEER_PLUGIN_PATH (colon separated),
/// $XDG_DATA_HOME/compeer/plugins (default ~/.local/share), <folder of this program>/../plugins,
/// <folder of this program>/../lib/compeer/plugins. Folders that don't exist are kept: messages list them.
std::vector<std::filesystem::path> search_path(const std::vector<std::filesystem::path>& given = {});

/// A plugin's file and what it says. Where the file can't be used, `problem` says why and the descriptor is empty.
struct Found {
  std::string kind, name;
  std::filesystem::path path;  ///< absolute
  std::string sha256;          ///< of the file; the descriptor was read from the same bytes
  Descriptor descriptor;
  std::string problem;
  bool shadowed = false;  ///< a folder earlier in the search path has one of the same kind and name
};

/// Plugins by kind and name, within the search path only: a name is letters, digits, `_` and `-`, never a path.
/// Run by root, a folder or file that others could have put there (world-writable, or owned by a user who is
/// neither root nor the owner of this program) is refused by name.
class Finder {
 public:
  explicit Finder(std::vector<std::filesystem::path> folders = search_path());

  /// The plugin; a name that isn't there gives Error (exit 3) with the nearest name, a file that can't be used
  /// Error (exit 5) with the cause.
  Found find(const std::string& kind, const std::string& name) const;

  /// Names of a kind, sorted.
  std::vector<std::string> names(const std::string& kind) const;

  /// Everything in the search path, by kind and name, broken and shadowed files included. Never throws.
  std::vector<Found> all() const;

  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace compeer::plugin
