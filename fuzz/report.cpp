// Input, in up to four parts: spec.json, summary.json, status.json and a stage's records of an untrusted run folder.
// The page that `report` makes of them contains no script or image.
#include "report/report.h"
#include "report/runs/load.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder folder;
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size));
  const auto part = [&](size_t i) { return i < parts.size() ? parts[i] : std::string_view(); };
  folder.write("spec.json", part(0));
  folder.write("summary.json", part(1));
  folder.write("status.json", part(2));
  folder.write("stages/01-x.jsonl", part(3));
  const auto page = report::page({report::load_run(folder.path())});
  fuzz::expect(page.find("<script") == page.npos && page.find("<img") == page.npos);
  return 0;
}
