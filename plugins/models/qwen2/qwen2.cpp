// Qwen2 and Qwen2.5 text models: grouped-query attention, rotary positions, biases on q, k and v, SwiGLU, RMS norm,
// tied or untied head. From a Hugging Face folder, or fresh from a config and the run's seed.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <stdexcept>

#include "compeer/model.h"
#include "compeer/plugin.h"
#include "config.h"
#include "kernels/functions.h"
#include "rotary.h"
#include "weights.h"

namespace compeer::qwen2 {
namespace {

using kernels::Weight;

struct Layer {
  at::Tensor input_norm, post_norm, q_bias, k_bias, v_bias;
  Weight q, k, v, o, gate, up, down;
};

class Qwen2 : public Model {
 public:
  Qwen2(const Settings& settings, Host& host) {
    if (settings.has("path")) {
      const std::filesystem::path folder = settings.text("path");
      config_ = from_folder(folder);
      parameters_ = load(config_, folder);
    } else if (settings.has("config")) {
      config_ = read_config(settings.table("config").json(), "model.config");
      parameters_ = fresh(config_, [&](uint32_t i, uint32_t j) {
        const double u = 1.0 - host.random(i, j, 0), angle = 2 * std::numbers::pi * host.random(i, j, 1);
        return std::sqrt(-2.0 * std::log(u)) * std::cos(angle);  // Box-Muller
      });
    } else {
      throw std::runtime_error("needs `path`, a model folder, or `config`, the sizes of a fresh model");
    }
    end_token_ = settings.json().value("end_token", int64_t{-1});
    rotary_ = std::make_unique<Rotary>(config_.head_dim, config_.rope_theta);
    assemble();
  }

  ModelShape shape() const override {
    return {config_.num_hidden_layers, config_.hidden_size, config_.num_key_value_heads,
            config_.head_dim,          config_.vocab_size,  config_.max_position_embeddings};
  }

  at::Tensor forward(const Batch& batch, Cache* cache) override {
    const auto angles = rotary_->angles(positions(batch));
    at::Tensor x = kernels::embedding(batch.tokens, parameters_.front().value);
    for (size_t i = 0; i < layers_.size(); ++i) {
      x = at::add(x, attention(layers_[i], kernels::rms_norm(x, layers_[i].input_norm, config_.rms_norm_eps), angles,
                               batch, cache, static_cast<int64_t>(i)));
      x = at::add(x, feed_forward(layers_[i], kernels::rms_norm(x, layers_[i].post_norm, config_.rms_norm_eps)));
    }
    return kernels::rms_norm(x, norm_, config_.rms_norm_eps);
  }

  at::Tensor head() override {
    return config_.tie_word_embeddings ? parameters_.front().value : parameters_.back().value;
  }

  std::vector<Parameter> parameters() override { return parameters_; }

  void parameters_changed() override {
    for (Layer& layer : layers_) {
      for (Weight* weight : {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
        weight->changed();
    }
  }

  void save(const std::string& folder) override {
    qwen2::save(parameters_, folder);
    std::ofstream(std::filesystem::path(folder) / "config.json") << write_config(config_, end_token_).dump(2) << "\n";
  }

 private:
  static Config from_folder(const std::filesystem::path& folder) {
    const auto file = folder / "config.json";
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file.string() + ": can't be read");
    return read_config(nlohmann::json::parse(in), file.string());
  }

  static std::vector<int64_t> positions(const Batch& batch) {
    std::vector<int64_t> all;
    for (const Segment& segment : batch.segments) {
      for (int64_t i = 0; i < segment.length; ++i) all.push_back(segment.position + i);
    }
    return all;
  }

  void assemble() {
    auto next = parameters_.begin() + 1;  // the order of `entries`
    const auto take = [&] { return (next++)->value; };
    for (int64_t i = 0; i < config_.num_hidden_layers; ++i) {
      const at::Tensor input_norm = take(), q = take(), q_bias = take(), k = take(), k_bias = take(), v = take(),
                       v_bias = take();
      const at::Tensor o = take(), post_norm = take(), gate = take(), up = take(), down = take();
      layers_.push_back({input_norm, post_norm, q_bias, k_bias, v_bias, Weight(q), Weight(k), Weight(v), Weight(o),
                         Weight(gate), Weight(up), Weight(down)});
    }
    norm_ = take();
  }

  at::Tensor attention(Layer& layer, const at::Tensor& x, const Rotary::Angles& angles, const Batch& batch,
                       Cache* cache, int64_t index) {
    const kernels::Heads heads{config_.num_attention_heads, config_.num_key_value_heads, config_.head_dim};
    const auto q = kernels::rotate(kernels::linear(x, layer.q, layer.q_bias), angles.cosine, angles.sine, heads.query);
    const auto k = kernels::rotate(kernels::linear(x, layer.k, layer.k_bias), angles.cosine, angles.sine, heads.key);
    const auto v = kernels::linear(x, layer.v, layer.v_bias);
    const auto seen = cache ? kernels::attention_cached(q, k, v, batch.segments, heads, *cache, index)
                            : kernels::attention(q, k, v, batch.segments, heads);
    return kernels::linear(seen, layer.o);
  }

  at::Tensor feed_forward(Layer& layer, const at::Tensor& x) {
    return kernels::linear(kernels::swiglu(kernels::linear(x, layer.gate), kernels::linear(x, layer.up)), layer.down);
  }

  Config config_;
  std::vector<Parameter> parameters_;
  std::unique_ptr<Rotary> rotary_;
  std::vector<Layer> layers_;
  at::Tensor norm_;
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
