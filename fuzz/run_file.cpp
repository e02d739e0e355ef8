// A run.h5 made of anything: all that can be asked of it.
#include "record/run_file.h"

#include "in_child.h"

namespace {

void ask(const std::filesystem::path& file) {
  const compeer::record::RunReader reader(file);
  for (const auto& name : reader.columns()) compeer::fuzz::expect(reader.column(name).size() == reader.rows());
  reader.times();
  reader.damaged_rows();
  reader.events();
  reader.spec_text();
  reader.status();
  reader.software();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  compeer::fuzz::share_counters();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const compeer::fuzz::Folder folder;
  const auto file = folder.write("run.h5", compeer::fuzz::text_of(data, size));
  compeer::fuzz::read_in_child([&] { ask(file); });
  return 0;
}
