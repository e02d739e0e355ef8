#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "plugin/descriptor.h"
#include "spec/catalog.h"

namespace compeer::plugin {

/// Returns the folders in which plugins are searched; the first match wins: COMPEER_PLUGIN_PATH (colon separated; the
/// option `--plugin-dir` puts folders before it), $XDG_DATA_HOME/compeer/plugins (default ~/.local/share), <folder of
/// this program>/../plugins, <folder of this program>/../lib/compeer/plugins. Includes folders that don't exist, so
/// that messages can list them. The current folder is searched only if it is listed.
std::vector<std::filesystem::path> search_path();

/// Returns why the superuser should not run code from this file or folder: "can be written by everybody", "belongs to
/// user 1000"; "" if it is safe, or if `user` is not the superuser. `program_owner` is the owner of this program, who
/// is trusted, too.
std::string distrust(const std::filesystem::path& path, uid_t user, uid_t program_owner);

/// A plugin's file and descriptor. If the file can't be used, `problem` is the reason and the descriptor is empty.
struct Found {
  std::string kind, name;
  std::filesystem::path path;  ///< absolute
  std::string sha256;          ///< SHA-256 of the bytes that the descriptor was read from
  Descriptor descriptor;
  std::string problem;
  bool shadowed = false;  ///< true if an earlier folder of the search path has a plugin of the same kind and name
};

/// Finds plugins by kind and name: <folder>/<kind>/<name>.so in the search path. Names consist of up to 64 letters,
/// digits, `_` and `-`, so they can't be paths. Libraries are read, but not loaded.
class Finder : public spec::Catalog {
 public:
  explicit Finder(std::vector<std::filesystem::path> folders = search_path());

  /// Returns the names of all plugins of a kind, sorted, including unusable ones.
  std::vector<std::string> names(const std::string& kind) const override;

  /// Finds a plugin for a spec. Throws like `get`, and Error (exit 5) if this program can't load it (descriptor.h) or
  /// an allow list does not contain it (allow_list.h).
  spec::PluginInfo find(const std::string& kind, const std::string& name) const override;

  /// Returns the plugin with this name. Throws Error (exit 3), with the nearest name and the folders searched, if there
  /// is none; Error (exit 5), naming file and cause, if its file can't be used.
  Found get(const std::string& kind, const std::string& name) const;

  /// Returns the folders in which a kind is searched and the option that adds one, as lines of a message.
  std::string searched(const std::string& kind) const override;

  /// True if `library` is in a folder that is searched for plugins of the kind. To be checked for paths that come from
  /// files.
  bool covers(const std::string& kind, const std::filesystem::path& library) const;

  /// Returns everything in the search path, sorted by kind and name, then in search order, including unusable and
  /// shadowed files.
  std::vector<Found> all() const;

  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace compeer::plugin
