// Input: text as it is shown in errors and sources. The output contains no API key and no control character.
#include "spec/secrets.h"

#include "input.h"
#include "spec/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  const std::string text(fuzz::text_of(data, size)), key = "sk-canary-0123456789abcdef";
  const auto shown = spec::without_secrets(text);
  fuzz::expect(spec::without_secrets(shown) == shown);
  fuzz::expect(!spec::without_secrets(text + " " + key).ends_with(key));
  spec::secret_in("url", text);
  const auto told = spec::error_text(text);
  fuzz::expect(spec::valid_utf8(told) && told.find_first_of("\x1b\x7f\r") == told.npos);
  return 0;
}
