#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compeer/dataset.h"
#include "compeer/host.h"
#include "compeer/settings.h"
#include "corpora/readers.h"

/// The settings that every corpus has: the first part of its descriptor's "parameters".
#define COMPEER_CORPUS_SETTINGS                                                                                      \
  R"json("path": {"type": "path", "help": "the corpus: a file, or a folder with its files"},)json"                   \
  R"json("unit": {"type": "string", "default": "turn", "choices": ["turn", "dialogue"],)json"                        \
  R"json("help": "an example is: a supporter's turn with what came before, or a whole dialogue"},)json"              \
  R"json("merge": {"type": "boolean", "default": true,)json"                                                         \
  R"json("help": "what one person writes in a row is one turn"},)json"                                               \
  R"json("valid": {"type": "number", "default": 0.1, "min": 0, "max": 1,)json"                                       \
  R"json("help": "share of the dialogues in the split valid, where no file's name says the split"},)json"            \
  R"json("test": {"type": "number", "default": 0.1, "min": 0, "max": 1, "help": "likewise of the split test"},)json" \
  R"json("max_unreadable": {"type": "number", "default": 0.01, "min": 0, "max": 1,)json"                             \
  R"json("help": "share of records that may be left out because they can't be read"},)json"                          \
  R"json("media": {"type": "path", "default": null,)json"                                                            \
  R"json("help": "folder of the files that turns name; pictures, and stills beside videos, are shown"})json"

namespace compeer::corpora {

/// A published corpus: how its files are read.
struct CorpusLayout {
  std::string name;                     ///< the plugin's name
  std::string language;                 ///< "en", "zh"
  std::vector<std::string> extensions;  ///< extensions of the files in a folder that belong to the corpus
  Reader reader;
  std::string between = "\n";  ///< separates utterances of one person that are merged into one turn
};

/// A corpus as a data set. Its files are read once, when it is made; the layout of `Example::record` is in README.md.
class Corpus : public Dataset {
 public:
  /// Throws Error (exit 4): nothing there, nothing readable, more left out than the settings allow.
  Corpus(const CorpusLayout& layout, const Settings& settings, Host& host);

  int64_t size(const std::string& split) const override;
  Example get(const std::string& split, int64_t index) override;
  std::vector<Unreadable> unreadable() const override { return cache_.left_out(); }

 private:
  struct RecordAt {
    uint32_t entry = 0, turn = 0, round = 0;
  };
  void load(const CorpusLayout& layout, const std::string& path, Host& host);
  void arrange(double valid, double test);
  const std::vector<RecordAt>* places(const std::string& split) const;
  json common(const CorpusCache::Entry& entry, const Dialogue& dialogue) const;

  std::string name_, language_, between_;
  bool by_turn_, merge_;
  std::filesystem::path media_;  // empty: nothing is shown
  CorpusCache cache_;
  std::array<std::vector<RecordAt>, 3> splits_;
};

/// The plugin's class for a corpus.
template <const CorpusLayout& layout>
class CorpusOf : public Corpus {
 public:
  CorpusOf(const Settings& settings, Host& host) : Corpus(layout, settings, host) {}
};

}  // namespace compeer::corpora
