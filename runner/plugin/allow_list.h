#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "plugin/search.h"

namespace compeer::plugin {

/// A plugin that may run, identified by the SHA-256 of its library. An allow list is a text file with one line per
/// plugin,
///   <sha256>  <kind>/<name>  <version>
/// and comment lines that begin with #. The version is informational and not compared.
struct Allowed {
  std::string kind, name, version, sha256;
};

/// Returns the text of an allow list, sorted by kind and name.
std::string allow_list_text(std::vector<Allowed> plugins);

/// Reads an allow list. Throws Error (exit 5), naming file and line, if it can't be read or has an invalid line.
std::vector<Allowed> read_allow_list(const std::filesystem::path& file);

/// The allow lists in force. A plugin may be loaded only if every list contains it with its current SHA-256.
class AllowLists {
 public:
  /// Returns the files named by COMPEER_LOCKED (colon separated); empty if it is not set. The option `--locked` adds a
  /// file and never removes one. Throws Error (exit 5) for an empty entry, so that a lost file name does not silently
  /// allow everything.
  static std::vector<std::filesystem::path> wanted();

  /// Reads the lists. Throws Error (exit 5) if one can't be read.
  explicit AllowLists(const std::vector<std::filesystem::path>& files = wanted());

  /// True if there are any lists. Without one, every plugin found may run.
  bool in_force() const { return !lists_.empty(); }

  /// Returns why the library must not be loaded ("is not in the list of allowed plugins /x/compeer.lock: ..."), or ""
  /// if it may.
  std::string reason(const std::string& kind, const std::string& name, const std::string& sha256) const;

  /// Throws Error (exit 5) naming plugin, file, hash and remedy if the library must not be loaded.
  void refuse(const std::string& kind, const std::string& name, const std::filesystem::path& path,
              const std::string& sha256) const;

  /// Returns a hash of the contents of all lists, for comparison between ranks; "" if there are none.
  std::string hash() const;

 private:
  struct AllowedFiles {
    std::filesystem::path file;
    std::vector<Allowed> plugins;
  };
  std::vector<AllowedFiles> lists_;
};

}  // namespace compeer::plugin
