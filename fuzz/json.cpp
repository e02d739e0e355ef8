// Input: any bytes as JSON. The fast parser gives the same result as nlohmann::json, unless the nesting is too deep.
#include "base/json.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  const auto text = fuzz::text_of(data, size);
  const auto read = parse_json(text);
  if (nests_too_deeply(text) && read.is_discarded()) return 0;
  const auto expected = nlohmann::json::parse(text, nullptr, false);
  fuzz::expect(read.is_discarded() == expected.is_discarded());
  if (expected.is_discarded()) return 0;
  fuzz::expect(read.type() == expected.type() && read.dump() == expected.dump());
  return 0;
}
