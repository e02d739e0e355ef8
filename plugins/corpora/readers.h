#pragma once
#include <functional>

#include "corpora/corpus_cache.h"
#include "corpora/fields.h"

namespace compeer::corpora {

/// Puts what a file holds into the cache, and names there what it can't read.
/// Throws Error (exit 4) only if the file as a whole can't be read.
using Reader = std::function<void(const CorpusFile& source, CorpusCache& cache)>;

/// Files with many dialogues, a JSON list or JSON lines: `read` makes one of each record, or throws Refusal.
Reader json_records(Dialogue (*read)(const json& record));

/// Files with one dialogue each: `read` makes it of the whole file, or throws Refusal.
Reader whole_files(std::function<Dialogue(const CorpusFile& source, const std::string& bytes)> read);

}  // namespace compeer::corpora
