// Input: the body of a chat completion request to `compeer serve`.
#include <algorithm>

#include "base/text.h"
#include "input.h"
#include "serve/request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  const auto well_formed = [](const std::string& text) { return first_broken(text) == text.size(); };
  try {
    const auto call = serve::read_completion_request(std::string(fuzz::text_of(data, size)));
    fuzz::expect(call.messages.is_array() && !call.messages.empty());
    size_t shown = 0;
    for (const auto& message : call.messages) {
      fuzz::expect(message.at("role").is_string());
      const auto& content = message.at("content");
      if (content.is_array()) {
        for (const auto& part : content) {
          shown += part.at("type") == "image" ? 1 : 0;
          fuzz::expect(part.size() == (part.at("type") == "image" ? 1 : 2));  // file names are not passed on
        }
      } else {
        fuzz::expect(content.is_string());
      }
    }
    fuzz::expect(shown == call.pictures.size());
    fuzz::expect(call.choices.size() <= 1024 && std::all_of(call.choices.begin(), call.choices.end(), well_formed));
    fuzz::expect(call.n >= 1 && call.n <= 128 && call.temperature >= 0 && call.top_p > 0);
    fuzz::expect(!call.max_tokens || *call.max_tokens >= 1);
    fuzz::expect(call.top_logprobs == 0 || call.log_probs);
  } catch (const serve::HttpError& refusal) {
    fuzz::expect(refusal.status == 400 && refusal.body().size() < 4096);
    fuzz::expect(!nlohmann::json::parse(refusal.body(), nullptr, false).is_discarded());
  }
  return 0;
}
