// Input: a JSON file of a run folder (status, error, summary), or in two parts a checkpoint's manifest and state.
#include "input.h"
#include "record/checkpoint.h"
#include "record/status.h"

namespace {

using namespace compeer;

template <class Read>
void small_file(const fuzz::Folder& folder, const char* name, std::string_view text, Read read) {
  folder.write(name, text);
  fuzz::expect_errors_only({Exit::data}, [&] {
    if (const auto found = read(folder.path())) record::to_json(*found).dump();
  });
}

void checkpoint(const fuzz::Folder& folder, std::string_view manifest, std::string_view state) {
  folder.write("checkpoints/step-000001/manifest.json", manifest);
  folder.write("checkpoints/step-000001/state.json", state);
  fuzz::expect_errors_only({Exit::data}, [&] {
    std::vector<std::string> problems;
    fuzz::expect(record::newest_good(folder.path(), &problems).has_value() == problems.empty());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size));
  small_file(folder, "status.json", parts[0], record::read_status);
  small_file(folder, "error.json", parts[0], record::read_failure);
  small_file(folder, "summary.json", parts[0], record::read_summary);
  checkpoint(folder, parts[0], parts.back());
  return 0;
}
