#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "compeer/model.h"
#include "config.h"
#include "decoder/decoder.h"
#include "decoder/weights.h"

namespace compeer::qwen2_5_vl {

/// Names, as published, and shapes of the merger's weights, in the order in which they are kept.
std::vector<decoder::Entry> merger_entries(const Vision& vision);

/// The end of the tower: units, the squares of patches that become one token, on their way to the text model. Frozen,
/// or trained with that model: a row has the same bits in sampling and in training.
class Merger {
 public:
  /// `weights` as `merger_entries` lists them. Frozen ones are rearranged when the first units come.
  Merger(const Vision& vision, std::vector<Parameter> weights, decoder::Use use);
  Merger(Merger&&) = delete;  // graphs hold the addresses of its weights

  /// units [tokens, unit * hidden_size], as the tower's blocks give them -> features [tokens, out_hidden_size].
  at::Tensor features(const at::Tensor& units);

  bool trains() const { return !use_.keeping.frozen; }
  const std::vector<Parameter>& weights() const { return weights_; }
  std::vector<Parameter> stored() const { return use_.keeping.stored(weights_); }  ///< as they are to be saved
  void parameters_changed();

 private:
  Vision vision_;
  decoder::Use use_;
  std::vector<Parameter> weights_;
  std::vector<kernels::Weight> linear_;  // two, when they are needed
};

}  // namespace compeer::qwen2_5_vl
