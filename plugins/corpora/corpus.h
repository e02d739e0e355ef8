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

// Dataset plugins for published corpora: collections of dialogues of emotional support between a seeker and a
// supporter. A plugin describes the layout of its corpus (CorpusLayout) and gets the class Corpus, which reads the
// files, assigns dialogues to the splits train, valid and test, and serves examples to a run. A record is the part of a
// file that contains one dialogue.
//
// Terms of a dialogue: an utterance is one message in the file; a run is consecutive utterances of one person, which
// form a turn; a round is a turn of the supporter that follows a turn of the seeker.

/// Descriptions of the settings of every corpus, as JSON: the first part of the "parameters" of a plugin's descriptor.
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

/// Stores copies of byte strings consecutively in large blocks. Separate allocations among the temporary ones of
/// parsing would fragment the heap.
class ByteArena {
 public:
  /// Stores a copy of `bytes` and returns a view of it. The view remains valid as long as this object, also after a
  /// move.
  std::string_view keep(std::string_view bytes);

 private:
  std::deque<std::string> blocks_;  // the last one has room for more; none is ever reallocated
};

/// The dialogues of a corpus in packed (serialized) form, and the records that could not be read. Filled file by file
/// by the Reader of the layout.
class CorpusCache {
 public:
  /// A dialogue.
  struct Entry {
    std::string dialogue;    ///< full name: corpus, file, and id or record number: "esconv/train/17"
    std::string_view bytes;  ///< the dialogue, serialized by `pack`; owned by the cache
    std::string split;       ///< the split in the file's name: "train", "valid" or "test"; "" if it has none
    /// [round]: index of the supporter's run among the dialogue's runs. An index after the last run means an answer
    /// that the corpus withholds.
    std::vector<uint32_t> rounds;
    /// The elements of `rounds` to be used as examples.
    std::vector<uint32_t> target_answers;
  };

  /// `corpus`: name of the corpus, the first part of the dialogues' names. `merge`: consecutive utterances of one
  /// person form one turn; otherwise each utterance is a turn.
  CorpusCache(std::string corpus, bool merge) : corpus_(std::move(corpus)), merge_(merge) {}

  /// Selects the file that the following calls of `add` and `leave_out` are about.
  void open(const CorpusFile& source);

  /// Adds a dialogue read from record number `record` of the file, from 1 (0: the whole file is one dialogue). If the
  /// file already has a dialogue with this id, adds an unreadable record instead.
  void add(Dialogue dialogue, int64_t record);
  /// Adds an unreadable record, or an unreadable part of one, with the reason; `record` as for `add`.
  void leave_out(int64_t record, const std::string& reason);

  /// Returns the dialogues in the order of the calls of `add`.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Returns the unreadable records of all files.
  std::vector<Unreadable>& left_out() { return left_out_; }
  const std::vector<Unreadable>& left_out() const { return left_out_; }

 private:
  std::string corpus_;                              // name of the corpus
  bool merge_;                                      // consecutive utterances of one person form one turn
  CorpusFile source_;                               // the selected file
  std::unordered_map<std::string, int64_t> known_;  // names of the selected file's dialogues -> record number
  std::vector<Entry> entries_;
  ByteArena arena_;  // owns Entry::bytes
  std::vector<Unreadable> left_out_;
};

/// Reads a file of a corpus: adds its dialogues to the cache, and unreadable records with the reason. `source` is the
/// cache's selected file. Throws Error (exit code 4: invalid data) only if the whole file can't be read.
using Reader = std::function<void(const CorpusFile& source, CorpusCache& cache)>;

/// Converts a record (parsed JSON) to a dialogue; throws Refusal if the record is malformed.
using RecordReader = std::function<Dialogue(const json& record)>;

/// Alternative keys of one field of a JSON object: the first that the object has is used; if it has none, the last.
using Keys = std::vector<const char*>;

/// Describes by keys how a dialogue is stored in a JSON record. Usable as a RecordReader.
struct RecordLayout {
  const char* turns;    ///< key of the list of utterances; "" if the record is that list
  const char* turn;     ///< word for an element of that list in messages: "message"
  const char* speaker;  ///< key of an utterance's speaker
  Keys text;            ///< keys of an utterance's text
  std::vector<std::pair<std::string_view, Role>> roles;   ///< speaker's name in the file -> role
  const char* id = "";                                    ///< key of the dialogue's id; "" if records have none
  std::vector<std::pair<const char*, Keys>> labels = {};  ///< labels of the dialogue: name -> keys
  /// Called after an utterance has been read by the keys. May change it and add labels from the JSON object `written`,
  /// or throw Refusal. May be null.
  void (*finish_turn)(const json& written, Utterance& read) = nullptr;
  /// The same for a whole dialogue, after all its utterances. May be null.
  void (*finish)(const json& record, Dialogue& read) = nullptr;

  /// Converts a record to a dialogue. Throws Refusal if a required key is missing or has another type, or a speaker is
  /// unknown.
  Dialogue operator()(const json& record) const;
};

/// Returns a reader for files with many dialogues: a JSON list, or JSON Lines, with a record for each. `read` converts
/// one record.
Reader json_records(RecordReader read);

/// Returns a reader for files with one dialogue each, stored as a JSON list. `read` converts the list.
Reader json_lists(RecordReader read);

/// Returns a reader for files with one dialogue each, in any format. `read` converts the bytes of a whole file, or
/// throws Refusal.
Reader whole_files(std::function<Dialogue(const CorpusFile& source, const std::string& bytes)> read);

/// Describes a published corpus and how its files are read.
struct CorpusLayout {
  std::string name;                     ///< name of the plugin: "esconv"
  std::string language;                 ///< "en" or "zh"
  std::vector<std::string> extensions;  ///< extensions of the files to be read: ".json"
  Reader reader;                        ///< reads one file
  std::string between = "\n";           ///< separator of utterances merged into one turn
};

/// A corpus as a data set. An example is a supporter's turn with its history, or a whole dialogue (setting `unit`). All
/// files are read in the constructor. README.md describes the fields of `Example::record`.
class Corpus : public Dataset {
 public:
  /// Reads the corpus. Throws Error (exit code 4) if there is no file, no readable dialogue, or more unreadable records
  /// than the setting `max_unreadable` allows; (exit code 3: invalid settings) if `valid` + `test` > 1.
  Corpus(const CorpusLayout& layout, const Settings& settings, Host& host);

  int64_t size(const std::string& split) const override;
  Example get(const std::string& split, int64_t index) override;
  std::vector<Unreadable> unreadable() const override { return cache_.left_out(); }

 private:
  // An example: index of its dialogue in cache_.entries(); with unit "turn" also the index of the answer's run, and of
  // its round.
  struct ExampleAt {
    uint32_t entry = 0, turn = 0, round = 0;
  };
  // Reads all files into cache_. Logs files that are ignored because only others are named after splits.
  void load(const CorpusLayout& layout, const std::string& path, Host& host);
  // Fills splits_. `valid`, `test`: fractions of dialogues for these splits, where file names contain no split.
  void arrange(double valid, double test);
  // Returns the examples of a split; null if there is no such split.
  const std::vector<ExampleAt>* examples_of(const std::string& split) const;
  // Returns the fields of Example::record that do not depend on the unit: labels, name, corpus and language.
  json common(const CorpusCache::Entry& entry, const Dialogue& dialogue) const;

  std::string name_, language_, between_;  // as in CorpusLayout
  bool by_turn_;                           // an example is a turn; otherwise a whole dialogue
  bool merge_;                             // consecutive utterances of one person form one turn
  std::filesystem::path media_;            // folder of pictures; empty: no pictures are shown
  CorpusCache cache_;
  std::array<std::vector<ExampleAt>, 3> splits_;  // [train, valid, test][index of the example]
};

/// The Corpus with this layout: the class of a plugin, which the runner constructs from settings and host.
template <const CorpusLayout& layout>
class CorpusOf : public Corpus {
 public:
  CorpusOf(const Settings& settings, Host& host) : Corpus(layout, settings, host) {}
};

}  // namespace compeer::corpora
