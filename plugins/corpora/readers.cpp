#include "corpora/readers.h"

#include "base/files.h"
#include "corpora/json_records.h"

namespace compeer::corpora {

Reader json_records(Dialogue (*read)(const json& record)) {
  return [read](const Source& source, Shelf& shelf) {
    each_json_record(source.file, [&](const Raw& raw) {
      try {
        if (!raw.problem.empty()) throw Refusal(raw.problem);
        shelf.add(read(parse(raw.bytes, raw.offset)), raw.number);
      } catch (const Refusal& refusal) {
        shelf.leave_out(raw.number, refusal.what());
      }
    });
  };
}

Reader whole_files(std::function<Dialogue(const Source& source, const std::string& bytes)> read) {
  return [read = std::move(read)](const Source& source, Shelf& shelf) {
    const std::string bytes = read_file(source.file);
    try {
      shelf.add(read(source, bytes), 0);
    } catch (const Refusal& refusal) {
      shelf.leave_out(0, refusal.what());
    }
  };
}

}  // namespace compeer::corpora
