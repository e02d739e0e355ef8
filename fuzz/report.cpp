// A stranger's run folder as `report` shows it: spec.json, summary.json, a stage's records. The page runs no script.
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
