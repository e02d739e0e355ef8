#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "plugin/search.h"

namespace compeer::plugin {

/// Plugins that may run, by the SHA-256 of their libraries: a text file that people can read and compare, with a line
///   <sha256>  <kind>/<name>  <version>
/// for each. Lines that begin with # are remarks. The version is for people, and not compared.
struct Allowed {
  std::string kind, name, version, sha256;
};

/// The text of such a file, sorted by kind and name.
std::string allow_list_text(std::vector<Allowed> plugins);

/// Reads one. Throws Error (exit 5) naming file and line.
std::vector<Allowed> read_allow_list(const std::filesystem::path& file);

/// The lists that are to be obeyed. A plugin may be loaded if each of them names it, with the bytes it has now.
class AllowLists {
 public:
  /// What COMPEER_LOCKED names: files, separated by colons; empty if it is not set. `--locked` adds one, and takes none
  /// away. Throws Error (exit 5) for an empty entry, for a list whose name got lost must not allow everything.
  static std::vector<std::filesystem::path> wanted();

  /// Reads them. Throws Error (exit 5): a list that can't be read allows nothing.
  explicit AllowLists(const std::vector<std::filesystem::path>& files = wanted());

  /// Whether there are any. Without one every plugin that is found may run.
  bool in_force() const { return !lists_.empty(); }

  /// Why the library must not be loaded: "is not in the list of allowed plugins /x/compeer.lock: ..."; "" if it may.
  std::string reason(const std::string& kind, const std::string& name, const std::string& sha256) const;

  /// Throws Error (exit 5) naming plugin, file, hash and remedy if it must not be loaded.
  void refuse(const std::string& kind, const std::string& name, const std::filesystem::path& path,
              const std::string& sha256) const;

  /// A hash of what all lists say, for ranks to compare; "" if there are none.
  std::string hash() const;

 private:
  struct AllowedFiles {
    std::filesystem::path file;
    std::vector<Allowed> plugins;
  };
  std::vector<AllowedFiles> lists_;
};

}  // namespace compeer::plugin
