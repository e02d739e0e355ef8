#pragma once
#include <functional>

#include "corpora/corpus_cache.h"
#include "corpora/fields.h"

namespace compeer::corpora {

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

}  // namespace compeer::corpora
