// Qwen2 and Qwen2.5 text models, from a Hugging Face folder, or fresh from a config and the run's seed.
#include <cmath>
#include <fstream>
#include <numbers>
#include <stdexcept>

#include "compeer/model.h"
#include "compeer/plugin.h"
#include "config.h"
#include "decoder.h"
#include "weights.h"

namespace compeer::qwen2 {
namespace {

class Qwen2 : public Model {
 public:
  Qwen2(const Settings& settings, Host& host) {
    end_token_ = settings.json().value("end_token", int64_t{-1});
    if (settings.has("path")) {
      const std::filesystem::path folder = settings.text("path");
      config_ = from_folder(folder);
      decoder_ = std::make_unique<Decoder>(config_, load(config_, folder));
    } else if (settings.has("config")) {
      config_ = read_config(settings.table("config").json(), "model.config");
      decoder_ = std::make_unique<Decoder>(config_, fresh(config_, normal(host)));
    } else {
      throw std::runtime_error("needs `path`, a model folder, or `config`, the sizes of a fresh model");
    }
  }

  ModelShape shape() const override { return decoder_->shape(); }
  at::Tensor forward(const Batch& batch, Cache* cache) override {
    return decoder_->forward(decoder_->embed(batch.tokens), batch, cache);
  }
  at::Tensor head() override { return decoder_->head(); }
  std::vector<Parameter> parameters() override { return decoder_->parameters(); }
  void parameters_changed() override { decoder_->parameters_changed(); }

  void save(const std::string& folder) override {
    qwen2::save(decoder_->parameters(), folder);
    std::ofstream(std::filesystem::path(folder) / "config.json") << write_config(config_, end_token_).dump(2) << "\n";
  }

 private:
  static Config from_folder(const std::filesystem::path& folder) {
    const auto file = folder / "config.json";
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file.string() + ": can't be read");
    const auto json = nlohmann::json::parse(in);
    const std::string type = json.value("model_type", "qwen2");
    if (type != "qwen2")
      throw std::runtime_error(file.string() + ": model_type is '" + type + "'; this plugin reads 'qwen2'");
    return read_config(json, file.string());
  }

  static std::function<double(uint32_t, uint32_t)> normal(Host& host) {
    return [&host](uint32_t i, uint32_t j) {
      const double u = 1.0 - host.random(i, j, 0), angle = 2 * std::numbers::pi * host.random(i, j, 1);
      return std::sqrt(-2.0 * std::log(u)) * std::cos(angle);  // Box-Muller
    };
  }

  Config config_;
  std::unique_ptr<Decoder> decoder_;
  int64_t end_token_ = -1;
};

}  // namespace
}  // namespace compeer::qwen2

COMPEER_PLUGIN(Model, models, qwen2, compeer::qwen2::Qwen2, R"json(
  "version": "1.0.0",
  "summary": "Qwen2 and Qwen2.5 text models, loaded from a Hugging Face folder or fresh from a config.",
  "parameters": {
    "path": {"type": "path", "default": null, "help": "a model folder: config.json and safetensors"},
    "config": {"type": "table", "default": null, "help": "sizes of a fresh model; the tokenizer gives the vocabulary",
      "parameters": {
        "hidden_size": {"type": "integer", "min": 2, "help": "width of the model"},
        "num_hidden_layers": {"type": "integer", "min": 1, "help": "blocks"},
        "num_attention_heads": {"type": "integer", "min": 1, "help": "query heads"},
        "num_key_value_heads": {"type": "integer", "min": 1, "help": "key and value heads, a divisor of the query heads"},
        "intermediate_size": {"type": "integer", "min": 1, "help": "width of the feed-forward layer"},
        "max_position_embeddings": {"type": "integer", "default": 1024, "min": 1, "help": "longest context"},
        "rope_theta": {"type": "number", "default": 10000.0, "min": 1, "help": "base of the rotary angles"},
        "rms_norm_eps": {"type": "number", "default": 1e-6, "min": 0, "help": "added to the mean square in the norms"},
        "tie_word_embeddings": {"type": "boolean", "default": true, "help": "the head is the embedding"}
      }}
  })json")
