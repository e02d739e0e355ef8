#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::plugin {

/// Plugins that crashed or hung when they were checked (`compeer plugins check`), remembered for this user, so that no
/// run starts with one. A file that has changed since then is another plugin, of which nothing is known.
class Quarantine {
 public:
  struct QuarantinedFile {
    std::filesystem::path path;
    uint64_t size = 0;
    int64_t modified = 0;  ///< seconds since 1970
    std::string sha256;
    std::string reason;  ///< "crashed (segmentation fault) in score() with empty texts"
  };

  /// $XDG_CACHE_HOME/compeer/quarantine.json, by default in ~/.cache; empty if neither is known.
  static std::filesystem::path usual_file();

  /// Reads the file. One that isn't there is an empty list; so is one that can't be read, and `problem` says why.
  explicit Quarantine(std::filesystem::path file = usual_file());
  const std::string& problem() const { return problem_; }

  /// Why the file must not be run; "" if nothing is known against it.
  std::string reason(const std::filesystem::path& path, const std::string& sha256) const;

  /// Throws Error (exit 5) that names file, reason and remedy if it must not be run. `title`: "rewards/length".
  void refuse(const std::string& title, const std::filesystem::path& path, const std::string& sha256) const;

  /// Writes the list whole, or not at all. Throws Error (exit 1) if it can't be written.
  void add(const std::filesystem::path& path, const std::string& sha256, const std::string& reason);
  void remove(const std::filesystem::path& path);

 private:
  void write() const;

  std::filesystem::path file_;
  std::string problem_;
  std::vector<QuarantinedFile> entries_;
};

}  // namespace compeer::plugin
