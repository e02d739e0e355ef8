#pragma once
#include <filesystem>
#include <string>
#include <vector>

// Finds the files of a corpus, a published collection of dialogues, and the splits (train, valid, test) of its
// dialogues. A split is given by a word in the file's name, otherwise by a hash of the dialogue's name.

namespace compeer::corpora {

/// A file of a corpus.
struct CorpusFile {
  std::filesystem::path file;  ///< path of the file
  /// Name of the file in the names of its dialogues: the path relative to the corpus's folder, "Career/1". It has an
  /// extension only if two files differ in nothing else.
  std::string name;
  std::string split;  ///< the split that the name contains: "train", "valid", "test"; "" if none
};

/// Returns the file at `path`, or, if it is a folder, all files in it and its subfolders that have one of `extensions`
/// (".json"), sorted by path. Hidden files are ignored. If the names of some files contain a split, the others are not
/// returned but added to `left_out` (relative paths), because they repeat the same dialogues. Throws Error (exit code
/// 4: invalid data) if there is no file.
std::vector<CorpusFile> sources(const std::filesystem::path& path, const std::vector<std::string>& extensions,
                                std::vector<std::string>& left_out);

/// Returns the names separated by commas, for messages: "a, b, c".
std::string listed(const std::vector<std::string>& names);

/// Returns the split that a file's name contains as a word: "train", "valid" (also for val, validation, dev) or "test";
/// otherwise "".
std::string split_in(const std::string& name);

/// Returns the split of a dialogue that no file name determines: "train", "valid" or "test". `dialogue`: its full name;
/// `valid` and `test`: fractions of dialogues for these splits. Depends only on the arguments (by a hash).
std::string split_of(const std::string& dialogue, double valid, double test);

}  // namespace compeer::corpora
