// Mistral: layers that see a window of the past.
#include "compeer/plugin.h"
#include "decoder/settings.h"
#include "decoder/text_model.h"

namespace compeer {
namespace {

constexpr decoder::Family family{
    .model_type = "mistral", .architecture = "MistralForCausalLM", .slides = decoder::SlidingWindow::always};

class Mistral : public decoder::TextModel {
 public:
  Mistral(const Settings& settings, Host& host) : TextModel(family, settings, host) {}
};

}  // namespace
}  // namespace compeer

// clang-format off
COMPEER_PLUGIN(Model, models, mistral, compeer::Mistral, R"json(
  "version": "1.0.0",
  "summary": "Mistral text models, loaded from a Hugging Face folder or new from a config.",)json"
  COMPEER_DECODER_SETTINGS(R"json(,
        "sliding_window": {"type": "integer", "default": null, "min": 1,
          "help": "attention window: positions that a token attends to, itself included; unset: all"})json"))
