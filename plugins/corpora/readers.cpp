// How a table of keys becomes a reader of records, and readers of records become readers of files.
#include "corpora/readers.h"

#include <algorithm>

#include "base/files.h"
#include "base/utf8.h"

namespace compeer::corpora {

namespace {

const char* first_of(const Keys& keys, const json& object) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key); });
  return found == keys.end() ? keys.back() : *found;
}

}  // namespace

Dialogue RecordLayout::operator()(const json& record) const {
  Dialogue read;
  each(*turns ? list_of(record, turns) : record, turn, [&](const json& written, size_t) {
    Utterance one{role_of(written, speaker, roles), text_of(written, first_of(text, written))};
    if (finish_turn) finish_turn(written, one);
    read.utterances.push_back(std::move(one));
  });
  if (*id) read.id = id_of(record, id);
  for (const auto& [name, keys] : labels) read.labels[name] = label(record, first_of(keys, record));
  if (finish) finish(record, read);
  return read;
}

Reader json_records(RecordReader read) {
  return [read = std::move(read)](const CorpusFile& source, CorpusCache& cache) {
    read_records(source.file, cache.left_out(),
                 [&](const json& record, const Raw& raw) { cache.add(read(record), raw.number); });
  };
}

Reader json_lists(RecordReader read) {
  return whole_files([read = std::move(read)](const CorpusFile&, const std::string& bytes) {
    const json list = parse(bytes, 0);
    if (!list.is_array()) throw Refusal("is no JSON list");
    return read(list);
  });
}

Reader whole_files(std::function<Dialogue(const CorpusFile& source, const std::string& bytes)> read) {
  return [read = std::move(read)](const CorpusFile& source, CorpusCache& cache) {
    const std::string bytes = read_file(source.file);
    refuse_utf16(bytes, source.file.string());
    try {
      cache.add(read(source, bytes), 0);
    } catch (const Refusal& refusal) {
      cache.leave_out(0, refusal.what());
    }
  };
}

}  // namespace compeer::corpora
