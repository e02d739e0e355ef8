#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::corpora {

/// A file of a corpus.
struct CorpusFile {
  std::filesystem::path file;
  std::string name;   ///< its place in the corpus's folder, without the extension unless another has it too: "Career/1"
  std::string split;  ///< what its name says: "train", "valid", "test", or ""
};

/// The files at `path`: itself, or those of a folder and the folders in it that have one of the extensions, sorted by
/// name. If the names of some say a split, the others are left out and named in `left_out`: they hold the same
/// dialogues over again. Throws Error (exit 4) if there is nothing.
std::vector<CorpusFile> sources(const std::filesystem::path& path, const std::vector<std::string>& extensions,
                                std::vector<std::string>& left_out);

/// "a, b, c"
std::string listed(const std::vector<std::string>& names);

/// The split that a name says: it has the word train, valid (also val, validation, dev) or test in it.
std::string split_in(const std::string& name);

/// For dialogues of which no file says it: a function of the dialogue's name and the shares alone.
std::string split_of(const std::string& dialogue, double valid, double test);

}  // namespace compeer::corpora
