// Input: a file of a corpus, read as JSON records and as CSV rows; dialogues are packed and unpacked again.
#include "base/json.h"
#include "corpora/csv.h"
#include "corpora/fields.h"
#include "corpora/json_records.h"
#include "input.h"

namespace {

using namespace compeer;
using namespace compeer::corpora;

void record(const RawRecord& raw) {
  if (!raw.problem.empty()) return;
  try {
    const json value = parse(raw.bytes, raw.offset);
    if (!value.is_object()) return;
    Dialogue dialogue{id_of(value, "id"), {}, value};
    each(list_of(value, "dialog"), "turn", [&](const json& turn, size_t) {
      dialogue.utterances.push_back({Role::supporter, text_of(turn, "text"), {{"x", scale(turn, "x")}}});
    });
    const auto again = unpack(pack(dialogue));
    fuzz::expect(again.labels == dialogue.labels && again.utterances.size() == dialogue.utterances.size());
    for (const auto& run : runs(again.utterances, true)) spoken(again.utterances, run);
  } catch (const Refusal&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto text = fuzz::text_of(data, size);
  const fuzz::FileInMemory file(text);
  int64_t before = 0;
  fuzz::expect_errors_only({Exit::data}, [&] {
    each_json_record(file.path(), [&](const RawRecord& raw) {
      fuzz::expect(raw.number > before && raw.offset + raw.bytes.size() <= size);
      before = raw.number;
      record(raw);
    });
  });
  int64_t row_before = 0;
  each_csv_row(text, [&](const CsvRow& row) {
    fuzz::expect(row.number > row_before);
    row_before = row.number;
  });
  return 0;
}
