// Qwen2 and Qwen2.5 text models, from a Hugging Face folder, or fresh from a config and the run's seed.
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "compeer/model.h"
#include "compeer/plugin.h"
#include "config.h"
#include "decoder.h"
#include "weights.h"

namespace compeer::qwen2 {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class Qwen2 : public Model, public TrainableInParts {
 public:
  Qwen2(const Settings& settings, Host& host) {
    end_token_ = settings.json().value("end_token", int64_t{-1});
    Use use(settings);
    if (settings.has("path")) {
      from_folder(settings.text("path"), std::move(use));
    } else if (settings.has("config")) {
      const TextConfig config = read_config(settings.table("config").json(), "model.config", Exit::spec);
      config_ = write_config(config, end_token_);
      decoder_ = std::make_unique<Decoder>(config, fresh(config, normal(host)), std::move(use));
    } else {
      throw std::runtime_error("needs `path`, a model folder, or `config`, the sizes of a fresh model");
    }
  }

  ModelShape shape() const override { return decoder_->shape(); }
  at::Tensor forward(const Batch& batch, Cache* cache) override {
    return decoder_->forward(batch.embedded.defined() ? batch.embedded : embed(batch), batch, cache);
  }
  at::Tensor embed(const Batch& batch) override { return decoder_->embed(batch.tokens); }
  std::vector<at::Tensor> hidden_states(const Batch& batch) override {
    std::vector<at::Tensor> states;
    decoder_->forward(embed(batch), batch, nullptr, &states);
    return states;
  }
  at::Tensor head() override { return decoder_->head(); }
  std::vector<Parameter> parameters() override { return decoder_->parameters(); }
  void parameters_changed() override { decoder_->parameters_changed(); }

  void save(const std::string& folder) override {
    qwen2::save(decoder_->stored(), folder);
    save_config(config_, generation_, decoder_->stored_type(), end_token_, folder);
  }

 private:
  void from_folder(const fs::path& folder, Use use) {
    const std::string where = (folder / "config.json").string();
    config_ = read_config_file(folder);
    if (const auto type = config_.value("model_type", json("qwen2")); type != "qwen2")
      throw Error(where, "model_type is " + type.dump() + "; this plugin reads \"qwen2\"", "", Exit::data);
    generation_ = read_generation_config(folder);
    const TextConfig config = read_config(config_, where);
    const Store store(folder, use.keeping);
    store.check(entries(config));
    if (use.keeping.frozen) use.release = store.release();
    decoder_ = std::make_unique<Decoder>(config, store.take(entries(config)), std::move(use));
  }

  static std::function<double(uint32_t, uint32_t)> normal(Host& host) {
    return [&host](uint32_t i, uint32_t j) {
      const double u = 1.0 - host.random(i, j, 0), angle = 2 * std::numbers::pi * host.random(i, j, 1);
      return std::sqrt(-2.0 * std::log(u)) * std::cos(angle);  // Box-Muller
    };
  }

  json config_, generation_;  ///< config.json and generation_config.json, as they were read
  std::unique_ptr<Decoder> decoder_;
  int64_t end_token_ = -1;
};

}  // namespace
}  // namespace compeer::qwen2

COMPEER_PLUGIN(Model, models, qwen2, compeer::qwen2::Qwen2, R"json(
  "version": "1.1.0",
  "summary": "Qwen2 and Qwen2.5 text models, loaded from a Hugging Face folder or fresh from a config.",
  "parameters": {
    "path": {"type": "path", "default": null, "help": "a model folder: config.json and safetensors"},
    "config": {"type": "table", "default": null, "help": "sizes of a fresh model; the tokenizer gives the vocabulary",
      "parameters": {
        "hidden_size": {"type": "integer", "min": 2, "help": "width of the model"},
        "num_hidden_layers": {"type": "integer", "min": 1, "help": "blocks"},
        "num_attention_heads": {"type": "integer", "min": 1, "help": "query heads"},
        "num_key_value_heads": {"type": "integer", "min": 1,
          "help": "key and value heads, a divisor of the query heads"},
        "intermediate_size": {"type": "integer", "min": 1, "help": "width of the feed-forward layer"},
        "max_position_embeddings": {"type": "integer", "default": 1024, "min": 1, "help": "longest context"},
        "rope_theta": {"type": "number", "default": 10000.0, "min": 1, "help": "base of the rotary angles"},
        "rms_norm_eps": {"type": "number", "default": 1e-6, "min": 0, "help": "added to the mean square in the norms"},
        "tie_word_embeddings": {"type": "boolean", "default": true, "help": "the head is the embedding"}
      }},
    "frozen": {"type": "boolean", "default": false, "help": "weights are only read: less memory, no training"},
    "precision": {"type": "string", "default": "float32", "choices": ["stored", "float32", "bfloat16"],
      "help": "what weights are kept in, trained ones in float32 or bfloat16; arithmetic is float32"},
    "recompute_above": {"type": "integer", "default": null, "min": 0,
      "help": "passes over more tokens than this recompute most activations in the backward pass; unset: none"},
    "engine": {"type": "string", "default": "exact", "choices": ["exact", "libtorch"],
      "help": "what computes: kernels whose log-probs are the same bits everywhere, or libtorch"},
    "rotary_precision": {"type": "string", "default": "float32", "choices": ["float32", "bfloat16"],
      "help": "what rotary frequencies are rounded to: bfloat16 for models that ran in it as a whole"}
  })json")
