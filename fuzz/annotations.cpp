// Input, in two parts: a file of records for annotators, and an annotator's export for it.
#include "input.h"
#include "tools/annotate/records.h"

namespace {

using namespace compeer;

// Replaces "HASH" by the hash of the file of records: an export for another file would be refused at once.
std::string about(const annotate::RecordFile& records, std::string_view text) {
  std::string made(text);
  constexpr std::string_view name = "HASH";
  for (size_t at = made.find(name); at != made.npos; at = made.find(name, at + records.hash.size()))
    made.replace(at, name.size(), records.hash);
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size));
  const auto file = folder.write("records.jsonl", parts[0]);
  fuzz::expect_errors_only({Exit::data}, [&] {
    const auto records = annotate::read_records(file);
    for (const auto& record : records.records) annotate::replies(record);
    if (parts.size() < 2) return;
    for (const auto& judgement : annotate::read_export(folder.write("export.jsonl", about(records, parts[1])), records))
      judgement.to_json();
  });
  return 0;
}
