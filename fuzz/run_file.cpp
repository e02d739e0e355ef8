// Input: a run.h5. Calls every function of its reader.
#include "record/run_file.h"

#include "in_child.h"

namespace {

void ask(const std::filesystem::path& run) {
  const compeer::record::RunReader reader(run / "run.h5");
  for (const auto& name : reader.columns()) compeer::fuzz::expect(reader.column(name).size() == reader.rows());
  compeer::fuzz::expect(reader.times().size() == reader.rows());
  reader.damaged_rows();
  reader.events();
  reader.spec_text();
  reader.status();
  reader.software();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return compeer::fuzz::ask_in_child("run.h5", compeer::fuzz::text_of(data, size), ask);
}
