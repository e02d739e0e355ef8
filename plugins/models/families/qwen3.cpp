// Qwen3: norms on the heads of queries and keys.
#include "compeer/plugin.h"
#include "decoder/settings.h"
#include "decoder/text_model.h"

namespace compeer {
namespace {

constexpr decoder::Family family{.model_type = "qwen3",
                                 .architecture = "Qwen3ForCausalLM",
                                 .head_norms = true,
                                 .slides = decoder::SlidingWindow::if_asked,
                                 .head_dim = 128};

class Qwen3 : public decoder::TextModel {
 public:
  Qwen3(const Settings& settings, Host& host) : TextModel(family, settings, host) {}
};

}  // namespace
}  // namespace compeer

// clang-format off
COMPEER_PLUGIN(Model, models, qwen3, compeer::Qwen3, R"json(
  "version": "1.0.0",
  "summary": "Qwen3 text models, loaded from a Hugging Face folder or new from a config.",)json"
  COMPEER_DECODER_SETTINGS(""))
