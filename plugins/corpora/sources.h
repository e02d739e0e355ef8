#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::corpora {

/// A file of a corpus.
struct CorpusFile {
  std::filesystem::path file;
  /// The path relative to the corpus's folder, such as "Career/1"; without its extension unless two files differ only
  /// in that.
  std::string name;
  std::string split;  ///< the split its name contains: "train", "valid", "test", or ""
};

/// Returns the file at `path`, or all files in the folder and its subfolders that have one of the extensions, sorted by
/// path; hidden files are ignored. If the names of some contain a split, the others are not returned but added to
/// `left_out`, because they repeat the same dialogues. Throws Error (exit 4) if there is no file.
std::vector<CorpusFile> sources(const std::filesystem::path& path, const std::vector<std::string>& extensions,
                                std::vector<std::string>& left_out);

/// Returns the names separated by commas: "a, b, c".
std::string listed(const std::vector<std::string>& names);

/// Returns the split in a name: "train", "valid" (also for val, validation, dev) or "test", if it contains that word;
/// otherwise "".
std::string split_in(const std::string& name);

/// Returns the split of a dialogue if no file name contains one. Depends only on the dialogue's name (by a hash) and on
/// the fractions `valid` and `test`.
std::string split_of(const std::string& dialogue, double valid, double test);

}  // namespace compeer::corpora
