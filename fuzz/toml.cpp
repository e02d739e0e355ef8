// Input: TOML of an experiment. It is refused, or its spec survives printing and parsing. Also read as an argument of
// --set.
#include "../tests/spec/fake_catalog.h"
#include "input.h"
#include "spec/draft.h"
#include "spec/spec.h"

namespace {

using namespace compeer;

const spec::FakeCatalog& catalog() {
  static const spec::FakeCatalog one;
  return one;
}

void experiment(const std::string& text) {
  std::string hash, toml;
  fuzz::expect_errors_only({Exit::spec}, [&] {
    const auto made = spec::resolve(spec::parse_toml(text, "x.toml"), catalog());
    hash = made.sha256();
    toml = made.toml(true);
  });
  if (!hash.empty()) fuzz::expect(spec::resolve(spec::parse_toml(toml, "again.toml"), catalog()).sha256() == hash);
}

void change(const std::string& text) {
  static const auto base = spec::parse_toml(spec::smallest(), "x.toml");
  fuzz::expect_errors_only({Exit::spec, Exit::usage},
                           [&] { spec::check(spec::with(base, {spec::parse_set(text)}), catalog()); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  experiment(text);
  change(text.substr(0, text.find('\n')));
  return 0;
}
