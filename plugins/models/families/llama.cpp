// Llama 2 and 3, TinyLlama, SmolLM2 and others of this architecture.
#include "compeer/plugin.h"
#include "decoder/settings.h"
#include "decoder/text_model.h"

namespace compeer {
namespace {

constexpr decoder::Family family{.model_type = "llama", .architecture = "LlamaForCausalLM"};

class Llama : public decoder::TextModel {
 public:
  Llama(const Settings& settings, Host& host) : TextModel(family, settings, host) {}
};

}  // namespace
}  // namespace compeer

// clang-format off
COMPEER_PLUGIN(Model, models, llama, compeer::Llama, R"json(
  "version": "1.0.0",
  "summary": "Llama text models and others of that architecture, loaded from a Hugging Face folder or new from a config.",)json"
  COMPEER_DECODER_SETTINGS(""))
