// Any bytes as JSON: what the quick reader makes of them is what the library makes of them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = compeer::parse_json(text), expected = nlohmann::json::parse(text, nullptr, false);
  if (read.is_discarded() != expected.is_discarded()) __builtin_trap();
  if (expected.is_discarded()) return 0;
  if (read.type() != expected.type() || read.dump() != expected.dump()) __builtin_trap();
  return 0;
}
