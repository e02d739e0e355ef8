#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "plugin/descriptor.h"
#include "spec/catalog.h"

namespace compeer::plugin {

/// Where plugins are looked for, first match wins: COMPEER_PLUGIN_PATH (colon separated; `--plugin-dir` puts folders
/// in front of it), $XDG_DATA_HOME/compeer/plugins (default ~/.local/share), <folder of this program>/../plugins,
/// <folder of this program>/../lib/compeer/plugins. Folders that don't exist are kept, so that messages can list them.
/// The current folder is searched only if it is named.
std::vector<std::filesystem::path> search_path();

/// Why the superuser should not run code from this file or folder: "can be written by everybody", "belongs to user
/// 1000"; "" if it may, or if `user` is not the superuser. `program_owner`: whose programs root is running already.
std::string distrust(const std::filesystem::path& path, uid_t user, uid_t program_owner);

/// A plugin's file and what it says. Where the file can't be used, `problem` says why and the descriptor is empty.
struct Found {
  std::string kind, name;
  std::filesystem::path path;  ///< absolute
  std::string sha256;          ///< of the bytes the descriptor was read from
  Descriptor descriptor;
  std::string problem;
  bool shadowed = false;  ///< a folder earlier in the search path has one of the same kind and name
};

/// Plugins by kind and name, within the search path only: <folder>/<kind>/<name>.so, where a name is made of letters,
/// digits, `_` and `-`, never of a path. What is found is read, not loaded.
class Finder : public spec::Catalog {
 public:
  explicit Finder(std::vector<std::filesystem::path> folders = search_path());

  /// Names of a kind, sorted, the broken ones too.
  std::vector<std::string> names(const std::string& kind) const override;

  /// For resolving a spec. Throws as `get`, and refuses what this program can't load (descriptor.h) and what is not
  /// among those that are allowed (allow_list.h).
  spec::PluginInfo find(const std::string& kind, const std::string& name) const override;

  /// The plugin that is used under that name. One that isn't there gives Error (exit 3) with the nearest name and the
  /// folders searched, a file that can't be used Error (exit 5) naming file and cause.
  Found get(const std::string& kind, const std::string& name) const;

  /// The folders in which a kind is looked for and the option that adds one, as lines of a message.
  std::string searched(const std::string& kind) const override;

  /// Whether a library lies where plugins of the kind are looked for. A path that is recorded may be a stranger's.
  bool covers(const std::string& kind, const std::filesystem::path& library) const;

  /// Everything in the search path, by kind and name, then in search order; broken and shadowed files included.
  std::vector<Found> all() const;

  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace compeer::plugin
