// Qwen2 and Qwen2.5: biases on queries, keys and values.
#include "compeer/plugin.h"
#include "decoder/settings.h"
#include "decoder/text_model.h"

namespace compeer {
namespace {

constexpr decoder::Family family{.model_type = "qwen2",
                                 .architecture = "Qwen2ForCausalLM",
                                 .biases = true,
                                 .slides = decoder::SlidingWindow::if_asked};

class Qwen2 : public decoder::TextModel {
 public:
  Qwen2(const Settings& settings, Host& host) : TextModel(family, settings, host) {}
};

}  // namespace
}  // namespace compeer

// clang-format off
COMPEER_PLUGIN(Model, models, qwen2, compeer::Qwen2, R"json(
  "version": "1.1.0",
  "summary": "Qwen2 and Qwen2.5 text models, loaded from a Hugging Face folder or new from a config.",)json"
  COMPEER_DECODER_SETTINGS(""))
