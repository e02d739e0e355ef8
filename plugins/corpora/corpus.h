#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compeer/dataset.h"
#include "compeer/host.h"
#include "compeer/settings.h"
#include "corpora/dialogue.h"
#include "corpora/fields.h"
#include "corpora/json_records.h"
#include "corpora/sources.h"

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

/// Bytes that are kept one behind the other in large blocks. By themselves, among all that is read and thrown away
/// again, they would leave the heap full of holes.
class ByteArena {
 public:
  /// The same bytes, which stay where they are for as long as this does, or what it was moved to.
  std::string_view keep(std::string_view bytes);

 private:
  std::deque<std::string> blocks_;
};

/// The dialogues of a corpus, packed, and the records that were left out.
class CorpusCache {
 public:
  struct Entry {
    std::string dialogue;                 ///< its full name: "esconv/train/17"
    std::string_view bytes;               ///< packed (dialogue.h)
    std::string split;                    ///< what its file's name says, or ""
    std::vector<uint32_t> rounds, asked;  ///< its answers: all, and those that are asked for (dialogue.h)
  };

  /// `merge`: what one person writes in a row is one turn.
  CorpusCache(std::string corpus, bool merge) : corpus_(std::move(corpus)), merge_(merge) {}

  /// What follows comes from this file.
  void open(const CorpusFile& source);

  /// A dialogue, read from a record of the file (0: the file is the dialogue). Left out if the file has one of the
  /// same name already.
  void add(Dialogue dialogue, int64_t record);
  void leave_out(int64_t record, const std::string& reason);

  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Unreadable>& left_out() { return left_out_; }
  const std::vector<Unreadable>& left_out() const { return left_out_; }

 private:
  std::string corpus_;
  bool merge_;
  CorpusFile source_;
  std::unordered_map<std::string, int64_t> known_;  // dialogues of the open file -> record
  std::vector<Entry> entries_;
  ByteArena arena_;
  std::vector<Unreadable> left_out_;
};

/// Puts the dialogues of a file into the cache, and records there what can't be read.
/// Throws Error (exit 4) only if the file as a whole can't be read.
using Reader = std::function<void(const CorpusFile& source, CorpusCache& cache)>;

/// Makes a dialogue of a record, or throws Refusal.
using RecordReader = std::function<Dialogue(const json& record)>;

/// Keys of which the first that an object has is read; if it has none of them, the last.
using Keys = std::vector<const char*>;

/// The names under which a corpus has the parts of a dialogue. A layout is a RecordReader.
struct RecordLayout {
  const char* turns;    ///< key of the list of utterances; "": the record is that list
  const char* turn;     ///< what refusals call an element of that list: "message"
  const char* speaker;  ///< keys of an utterance
  Keys text;
  std::vector<std::pair<std::string_view, Role>> roles;   ///< the names of speakers
  const char* id = "";                                    ///< key of the dialogue's id; "": it has none
  std::vector<std::pair<const char*, Keys>> labels = {};  ///< the dialogue's labels: name, keys
  /// What keys can't say: adds to an utterance or dialogue that was read by the above, or changes it.
  void (*finish_turn)(const json& written, Utterance& read) = nullptr;
  void (*finish)(const json& record, Dialogue& read) = nullptr;

  Dialogue operator()(const json& record) const;
};

/// Files with many dialogues: a JSON list or JSON lines with a record for each.
Reader json_records(RecordReader read);

/// Files with one dialogue each, which is a JSON list.
Reader json_lists(RecordReader read);

/// Files with one dialogue each: `read` makes it of the whole file, or throws Refusal.
Reader whole_files(std::function<Dialogue(const CorpusFile& source, const std::string& bytes)> read);

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
