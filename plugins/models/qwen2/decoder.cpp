#include "decoder.h"

#include <ATen/ops/add.h>

namespace compeer::qwen2 {

using kernels::Weight;

Decoder::Decoder(const Config& config, std::vector<Parameter> parameters)
    : config_(config),
      parameters_(std::move(parameters)),
      rotary_(config.head_dim, config.rope_theta, config.rope_sections) {
  assemble();
}

ModelShape Decoder::shape() const {
  return {config_.num_hidden_layers, config_.hidden_size, config_.num_key_value_heads,
          config_.head_dim,          config_.vocab_size,  config_.max_position_embeddings};
}

at::Tensor Decoder::embed(const at::Tensor& tokens) const {
  return kernels::embedding(tokens, parameters_.front().value);
}

at::Tensor Decoder::forward(at::Tensor rows, const Batch& batch, Cache* cache) {
  const auto angles = rotary_.angles(positions(batch));
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    rows = at::add(rows, attention(layer, kernels::rms_norm(rows, layer.input_norm, config_.rms_norm_eps), angles,
                                   batch, cache, static_cast<int64_t>(i)));
    rows = at::add(rows, feed_forward(layer, kernels::rms_norm(rows, layer.post_norm, config_.rms_norm_eps)));
  }
  return kernels::rms_norm(rows, norm_, config_.rms_norm_eps);
}

at::Tensor Decoder::head() const {
  return config_.tie_word_embeddings ? parameters_.front().value : parameters_.back().value;
}

void Decoder::parameters_changed() {
  for (Layer& layer : layers_) {
    for (Weight* weight : {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      weight->changed();
  }
}

void Decoder::assemble() {
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

at::Tensor Decoder::attention(Layer& layer, const at::Tensor& x, const Rotary::Angles& angles, const Batch& batch,
                              Cache* cache, int64_t index) {
  const kernels::Heads heads{config_.num_attention_heads, config_.num_key_value_heads, config_.head_dim};
  const auto q = kernels::rotate(kernels::linear(x, layer.q, layer.q_bias), angles.cosine, angles.sine, heads.query);
  const auto k = kernels::rotate(kernels::linear(x, layer.k, layer.k_bias), angles.cosine, angles.sine, heads.key);
  const auto v = kernels::linear(x, layer.v, layer.v_bias);
  const auto seen = cache ? kernels::attention_cached(q, k, v, batch.segments, heads, *cache, index)
                          : kernels::attention(q, k, v, batch.segments, heads);
  return kernels::linear(seen, layer.o);
}

at::Tensor Decoder::feed_forward(Layer& layer, const at::Tensor& x) {
  return kernels::linear(kernels::swiglu(kernels::linear(x, layer.gate), kernels::linear(x, layer.up)), layer.down);
}

}  // namespace compeer::qwen2
