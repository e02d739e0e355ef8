#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "compeer/model.h"
#include "config.h"
#include "kernels/functions.h"
#include "rotary.h"

namespace compeer::qwen2 {

/// The text stack of Qwen2, Qwen2.5 and Qwen2.5-VL: embedded rows in, hidden states out. Grouped-query attention,
/// rotary positions along one or three axes, biases on q, k and v, SwiGLU, RMS norm, tied or untied head.
class Decoder {
 public:
  /// `parameters` as `entries(config)` lists them.
  Decoder(const Config& config, std::vector<Parameter> parameters);
  Decoder(Decoder&&) = delete;  // graphs hold the addresses of its weights

  ModelShape shape() const;

  /// tokens int64 [rows] -> their rows of the embedding [rows, hidden].
  at::Tensor embed(const at::Tensor& tokens) const;

  /// rows [rows, hidden] of `batch` -> hidden states [rows, hidden] that the head is applied to.
  at::Tensor forward(at::Tensor rows, const Batch& batch, Cache* cache);

  /// The output matrix [vocabulary, hidden].
  at::Tensor head() const;
  const std::vector<Parameter>& parameters() const { return parameters_; }
  void parameters_changed();

 private:
  struct Layer {
    at::Tensor input_norm, post_norm, q_bias, k_bias, v_bias;
    kernels::Weight q, k, v, o, gate, up, down;
  };
  void assemble();
  at::Tensor attention(Layer& layer, const at::Tensor& x, const Rotary::Angles& angles, const Batch& batch,
                       Cache* cache, int64_t index);
  at::Tensor feed_forward(Layer& layer, const at::Tensor& x);

  Config config_;
  std::vector<Parameter> parameters_;
  Rotary rotary_;
  std::vector<Layer> layers_;
  at::Tensor norm_;
};

}  // namespace compeer::qwen2
