// Input: a spec.json, as a run, a resumed run and `diff` read it.
#include "spec/spec.h"

#include "../tests/spec/fake_catalog.h"
#include "base/hash.h"
#include "base/json.h"
#include "input.h"
#include "spec/text.h"

namespace {

using namespace compeer;

void use(const spec::Spec& spec) {
  static const spec::FakeCatalog catalog;
  fuzz::expect(spec::Spec::from_file_text(spec.file_text()).sha256() == spec.sha256());
  fuzz::expect(spec::diff(spec, spec).empty());
  fuzz::expect_errors_only({Exit::spec}, [&] { spec.toml(true); });
  fuzz::expect_errors_only({Exit::spec}, [&] { spec::resolve(spec.draft(), catalog); });
}

// Corrects the hash of the spec: no mutation guesses it, so the code after the check would never run.
std::string with_hash(std::string_view text) {
  auto file = parse_json(text);
  if (!file.is_object() || !file.contains("spec")) return std::string(text);
  file["sha256"] = sha256(spec::canonical_json(file["spec"]));
  return file.dump();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto text = fuzz::text_of(data, size);
  fuzz::expect_errors_only({Exit::spec}, [&] { spec::Spec::from_file_text(std::string(text)); });
  fuzz::expect_errors_only({Exit::spec}, [&] { use(spec::Spec::from_file_text(with_hash(text))); });
  return 0;
}
