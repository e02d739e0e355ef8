// Input: the body of an HTTP response of a chat endpoint: an answer, an event stream or an error.
#include "openai/wire.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "input.h"

namespace {

// True if the text is short valid UTF-8 without control characters, fit for logs and records.
bool is_remark(const std::string& text) {
  return text.size() <= 400 && compeer::first_broken(text) == text.size() &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  const std::string body(fuzz::text_of(data, size));
  const auto received = openai::read(body);
  fuzz::expect(is_remark(received.error) && is_remark(received.reply.failure));
  fuzz::expect(received.reply.prompt_tokens >= 0 && received.reply.completion_tokens >= 0);
  fuzz::expect(first_broken(received.reply.text) == received.reply.text.size());
  fuzz::expect(is_remark(openai::error_of(body).message));
  const auto weighed = openai::read(body, {"True", "False"});
  const auto& log_probs = weighed.reply.log_probs;
  fuzz::expect(is_remark(weighed.error) && (log_probs.empty() || log_probs.size() == 2));
  fuzz::expect(std::all_of(log_probs.begin(), log_probs.end(), [](double one) { return std::isfinite(one); }));
  return 0;
}
