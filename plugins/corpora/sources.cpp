// Finds the files of a corpus and their splits.
#include "corpora/sources.h"

#include <algorithm>
#include <map>

#include "base/files.h"
#include "text/words.h"

namespace compeer::corpora {

namespace fs = std::filesystem;

namespace {

bool hidden(const fs::path& relative) {
  return std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part.string()[0] == '.'; });
}

// Keeps the extension in the names of files that differ only in it, because dialogues are named after their file.
void keep_apart(std::vector<CorpusFile>& files) {
  std::map<std::string, int> times;
  for (const CorpusFile& one : files) ++times[one.name];
  for (CorpusFile& one : files) {
    if (times[one.name] > 1) one.name += one.file.extension().string();
  }
}

std::vector<CorpusFile> files_in(const fs::path& folder, const std::vector<std::string>& extensions) {
  std::vector<CorpusFile> found;
  for (const auto& entry : entries_below(folder)) {
    const fs::path relative = entry.path().lexically_relative(folder);
    const auto extension = relative.extension().string();
    if (!entry.is_regular_file() || hidden(relative)) continue;
    if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) continue;
    const auto name = fs::path(relative).replace_extension().generic_string();
    found.push_back({entry.path(), name, split_in(name)});
  }
  std::sort(found.begin(), found.end(), [](const CorpusFile& a, const CorpusFile& b) { return a.file < b.file; });
  keep_apart(found);
  return found;
}

}  // namespace

std::vector<CorpusFile> sources(const fs::path& path, const std::vector<std::string>& extensions,
                                std::vector<std::string>& left_out) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw Error(path.string(), "does not exist", "set 'path' to a file or folder", Exit::data);
  if (!fs::is_directory(path, error)) {
    const auto name = path.stem().string();
    return {{path, name, split_in(name)}};
  }
  auto found = files_in(path, extensions);
  if (found.empty()) throw Error(path.string(), "contains no file that ends in " + listed(extensions), "", Exit::data);
  const bool split = std::any_of(found.begin(), found.end(), [](const CorpusFile& one) { return !one.split.empty(); });
  if (!split) return found;
  for (const CorpusFile& one : found) {
    if (one.split.empty()) left_out.push_back(one.file.lexically_relative(path).string());
  }
  std::erase_if(found, [](const CorpusFile& one) { return one.split.empty(); });
  return found;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string split_in(const std::string& name) {
  for (const std::string& word : text::words(name)) {
    if (word == "train" || word == "test") return word;
    if (word == "valid" || word == "val" || word == "validation" || word == "dev") return "valid";
  }
  return "";
}

std::string split_of(const std::string& dialogue, double valid, double test) {
  const double place = static_cast<double>(text::hash(&dialogue, &dialogue + 1) >> 11) * 0x1p-53;  // in [0, 1)
  return place < test ? "test" : place < test + valid ? "valid" : "train";
}

}  // namespace compeer::corpora
