#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "plugin/descriptor.h"
#include "spec/catalog.h"

// Finding plugins: shared libraries <folder>/<kind>/<name>.so in a list of folders, the *search path*. Libraries are
// read, but not loaded. The commands of the front end use this to list plugins, and to resolve the settings of a run.

namespace compeer::plugin {

/// Returns the search path, in order; the first match wins:
/// - the folders in the environment variable COMPEER_PLUGIN_PATH (colon separated; `--plugin-dir` puts folders before
/// it)
/// - $XDG_DATA_HOME/compeer/plugins (default ~/.local/share/compeer/plugins)
/// - <folder of this program>/../plugins, <folder of this program>/../lib/compeer/plugins
/// Includes folders that don't exist, so that messages can list them. The current folder is searched only if it is
/// listed.
std::vector<std::filesystem::path> search_path();

/// Returns why the superuser should not run code from this file or folder: "can be written by every user", "belongs to
/// user 1000"; "" if it is safe, or if `user`, the effective user of this process, is not the superuser.
/// `program_owner`: the owner of this program's file, a trusted user like the superuser.
std::string distrust(const std::filesystem::path& path, uid_t user, uid_t program_owner);

/// A plugin library that was found, and its descriptor (the library's description of itself).
struct Found {
  std::string kind, name;      ///< as in "rewards/length"
  std::filesystem::path path;  ///< absolute
  std::string sha256;          ///< SHA-256 of the bytes that the descriptor was read from
  Descriptor descriptor;       ///< empty if the file can't be used
  std::string problem;         ///< why the file can't be used; "" if it can
  bool shadowed = false;       ///< true if an earlier folder of the search path has a plugin of the same kind and name
};

/// Finds plugins by kind ("rewards") and name ("length"). Names consist of up to 64 letters, digits, `_` and `-`, so
/// they can't be paths. Functions throw Error (exit code 1) on an I/O error.
class Finder : public spec::Catalog {
 public:
  /// `folders`: the search path.
  explicit Finder(std::vector<std::filesystem::path> folders = search_path());

  /// Returns the names of all plugins of a kind, sorted, including unusable ones.
  std::vector<std::string> names(const std::string& kind) const override;

  /// Returns the plugin's file, version and settings, for the settings of a run. Throws as `get` does, and Error (exit
  /// code 5) if this program can't load it because it was built for other versions, or if an active allow list does not
  /// contain it.
  spec::PluginInfo find(const std::string& kind, const std::string& name) const override;

  /// Returns the first plugin with this name in the search path. Throws Error (exit code 3: mistake in the settings),
  /// with the nearest name and the folders searched, if there is none; Error (exit code 5: plugin not usable), naming
  /// file and cause, if its file can't be used. Compatibility with this program is not checked.
  Found get(const std::string& kind, const std::string& name) const;

  /// Returns the folders in which a kind is searched and the option that adds one, as lines to append to a message; the
  /// first begins with a newline.
  std::string searched(const std::string& kind) const override;

  /// True if `library` is named like a plugin and lies in a folder that is searched for plugins of the kind. Library
  /// paths that come from files, such as a run's spec.json, must be checked with this function before they are loaded.
  bool covers(const std::string& kind, const std::filesystem::path& library) const;

  /// Returns all plugins in the search path, including unusable and shadowed ones: kinds in the order of `kinds()`,
  /// sorted by name within a kind, equal names in search order.
  std::vector<Found> all() const;

  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;  // the search path
};

}  // namespace compeer::plugin
