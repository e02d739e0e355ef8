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

/// Settings of every corpus, the first part of its descriptor's "parameters".
#define COMPEER_CORPUS_SETTINGS                                                                                 \
  R"json("path": {"type": "path", "help": "the corpus: a file, or a folder with its files"},)json"              \
  R"json("unit": {"type": "string", "default": "turn", "choices": ["turn", "dialogue"],)json"                   \
  R"json("help": "an example is a supporter's turn with its history, or a whole dialogue"},)json"               \
  R"json("merge": {"type": "boolean", "default": true,)json"                                                    \
  R"json("help": "merge consecutive messages of one person into one turn"},)json"                               \
  R"json("valid": {"type": "number", "default": 0.1, "min": 0, "max": 1,)json"                                  \
  R"json("help": "share of dialogues assigned to the split valid, unless a file's name gives the split"},)json" \
  R"json("test": {"type": "number", "default": 0.1, "min": 0, "max": 1,)json"                                   \
  R"json("help": "share of dialogues assigned to the split test, likewise"},)json"                              \
  R"json("max_unreadable": {"type": "number", "default": 0.01, "min": 0, "max": 1,)json"                        \
  R"json("help": "maximum share of records that are left out because they can't be read"},)json"                \
  R"json("media": {"type": "path", "default": null,)json"                                                       \
  R"json("help": "folder of the media files named in turns; shows pictures, and still images next to videos"})json"

namespace compeer::corpora {

/// Stores byte strings consecutively in large blocks. Separate allocations among the temporary ones of parsing would
/// fragment the heap.
class ByteArena {
 public:
  /// Stores a copy of `bytes` and returns it. It remains valid as long as this object, also after a move.
  std::string_view keep(std::string_view bytes);

 private:
  std::deque<std::string> blocks_;  // allocated once, so that views stay valid
};

/// The dialogues of a corpus in packed form, and the records that could not be read.
class CorpusCache {
 public:
  /// A dialogue that was read.
  struct Entry {
    std::string dialogue;    ///< full name: "esconv/train/17"
    std::string_view bytes;  ///< the packed dialogue (dialogue.h); owned by the cache
    std::string split;       ///< the split in the file's name, or ""
    /// Indices of the answers among the dialogue's runs: of all, and of those to be used as examples (dialogue.h).
    std::vector<uint32_t> rounds, target_answers;
  };

  /// `merge`: consecutive utterances of one person form one turn.
  CorpusCache(std::string corpus, bool merge) : corpus_(std::move(corpus)), merge_(merge) {}

  /// Selects the file that the following dialogues and records come from.
  void open(const CorpusFile& source);

  /// Adds a dialogue read from record number `record` of the file (0: the whole file is one dialogue). If the file
  /// already has a dialogue with this name, adds an unreadable record instead.
  void add(Dialogue dialogue, int64_t record);
  /// Adds a record that could not be read, with the reason.
  void leave_out(int64_t record, const std::string& reason);

  /// Returns the dialogues in the order in which they were read.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Return the records that could not be read, with the reasons.
  std::vector<Unreadable>& left_out() { return left_out_; }
  const std::vector<Unreadable>& left_out() const { return left_out_; }

 private:
  std::string corpus_;  // name of the corpus, the first part of names
  bool merge_;
  CorpusFile source_;                               // the open file
  std::unordered_map<std::string, int64_t> known_;  // dialogues of the open file: name -> record number
  std::vector<Entry> entries_;
  ByteArena arena_;  // the packed dialogues
  std::vector<Unreadable> left_out_;
};

/// Reads a file: adds its dialogues to the cache, and unreadable records with the reason. Throws Error (exit 4) only if
/// the whole file can't be read.
using Reader = std::function<void(const CorpusFile& source, CorpusCache& cache)>;

/// Converts a record to a dialogue; throws Refusal if it can't.
using RecordReader = std::function<Dialogue(const json& record)>;

/// Alternative keys: the first that an object has is used, otherwise the last.
using Keys = std::vector<const char*>;

/// Describes a corpus layout by its keys. Usable as a RecordReader.
struct RecordLayout {
  const char* turns;  ///< key of the list of utterances; "" if the record is that list
  const char* turn;   ///< name of an element of that list in messages: "message"
  /// Keys of an utterance: its speaker and its text.
  const char* speaker;
  Keys text;
  std::vector<std::pair<std::string_view, Role>> roles;   ///< names of the speakers
  const char* id = "";                                    ///< key of the dialogue's id; "" if there is none
  std::vector<std::pair<const char*, Keys>> labels = {};  ///< labels of the dialogue: name, keys
  /// Called after an utterance or the dialogue has been read by the keys, to change or add what keys can't express; may
  /// be null.
  void (*finish_turn)(const json& written, Utterance& read) = nullptr;
  void (*finish)(const json& record, Dialogue& read) = nullptr;

  /// Converts a record. Throws Refusal if a key is missing or has another type, or a speaker is unknown.
  Dialogue operator()(const json& record) const;
};

/// Returns a reader for files with many dialogues: a JSON list or JSON Lines with a record for each.
Reader json_records(RecordReader read);

/// Returns a reader for files with one dialogue each, a JSON list.
Reader json_lists(RecordReader read);

/// Returns a reader for files with one dialogue each; `read` converts a whole file, or throws Refusal.
Reader whole_files(std::function<Dialogue(const CorpusFile& source, const std::string& bytes)> read);

/// Describes a published corpus and how its files are read.
struct CorpusLayout {
  std::string name;                     ///< name of the plugin
  std::string language;                 ///< "en" or "zh"
  std::vector<std::string> extensions;  ///< extensions of the files in a folder that are read
  Reader reader;
  std::string between = "\n";  ///< separates merged utterances of one person
};

/// A corpus as a data set. Reads its files in the constructor; README.md describes `Example::record`.
class Corpus : public Dataset {
 public:
  /// Throws Error (exit 4) if there is no file, no readable dialogue, or more unreadable records than `max_unreadable`
  /// allows; exit 3 if `valid` + `test` > 1.
  Corpus(const CorpusLayout& layout, const Settings& settings, Host& host);

  // Dataset
  int64_t size(const std::string& split) const override;
  Example get(const std::string& split, int64_t index) override;
  std::vector<Unreadable> unreadable() const override { return cache_.left_out(); }

 private:
  // An example: its dialogue (index in the cache) and, if examples are turns, the run with its answer and the number of
  // that answer among the dialogue's answers.
  struct RecordAt {
    uint32_t entry = 0, turn = 0, round = 0;
  };
  // Reads all files into `cache_`.
  void load(const CorpusLayout& layout, const std::string& path, Host& host);
  // Assigns the dialogues to `splits_`. `valid`, `test`: fractions of dialogues whose file has no split in its name.
  void arrange(double valid, double test);
  // Returns the examples of a split; null for an unknown name.
  const std::vector<RecordAt>* places(const std::string& split) const;
  // Returns the fields of `Example::record` that all examples of a dialogue have.
  json common(const CorpusCache::Entry& entry, const Dialogue& dialogue) const;

  std::string name_, language_, between_;  // as in CorpusLayout
  bool by_turn_, merge_;                   // the settings `unit` ("turn") and `merge`
  std::filesystem::path media_;            // folder of media files; empty: no pictures are shown
  CorpusCache cache_;
  std::array<std::vector<RecordAt>, 3> splits_;  // examples of train, valid and test
};

/// The Corpus with this layout, as the plugin's class.
template <const CorpusLayout& layout>
class CorpusOf : public Corpus {
 public:
  CorpusOf(const Settings& settings, Host& host) : Corpus(layout, settings, host) {}
};

}  // namespace compeer::corpora
