#include "corpora/readers.h"

#include "base/files.h"
#include "base/utf8.h"
#include "corpora/json_records.h"

namespace compeer::corpora {

Reader json_records(Dialogue (*read)(const json& record)) {
  return [read](const CorpusFile& source, CorpusCache& cache) {
    each_json_record(source.file, [&](const Raw& raw) {
      try {
        if (!raw.problem.empty()) throw Refusal(raw.problem);
        cache.add(read(parse(raw.bytes, raw.offset)), raw.number);
      } catch (const Refusal& refusal) {
        cache.leave_out(raw.number, refusal.what());
      }
    });
  };
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
