#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compeer/model.h"
#include "compeer/picture.h"
#include "config.h"
#include "decoder/decoder.h"
#include "decoder/rotary.h"
#include "decoder/weights.h"
#include "kernels/arithmetic.h"
#include "tower.h"

namespace compeer::qwen2_5_vl {

/// Where the patches of some pictures stand, and which of them look at each other. A unit is the square of patches that
/// becomes one token; pictures list their patches unit after unit. The tower works window after window instead.
struct PatchLayout {
  std::vector<int64_t> order;              ///< window_index: which unit comes i-th in the tower
  std::vector<kernels::RowRange> windows;  ///< patches in the tower's order that see each other in most blocks
  std::vector<kernels::RowRange>
      frames;                        ///< and in the blocks of full attention: one picture, one place of time in a video
  std::vector<int64_t> row, column;  ///< of each patch in its picture, in the pictures' order
};
PatchLayout layout(const std::vector<const Picture*>& pictures, const Vision& vision);

/// Names, as published, and shapes of the weights, in the order in which they are kept. The merger's follow.
std::vector<decoder::Entry> tower_entries(const Vision& vision);

/// What the tower computed on its way, by the name that reference files use.
using Traces = std::map<std::string, at::Tensor>;

/// The tower that looks at pictures, less its merger: patches, blocks of attention in windows or over the whole
/// picture. Pictures do not see each other, and every row has one order of operations: the units of a picture have the
/// same bits whatever else is looked at with it, on any number of threads.
class Tower {
 public:
  /// `weights` as `tower_entries` lists them. Frozen ones are rearranged when the first picture comes.
  Tower(const Vision& vision, std::vector<Parameter> weights, decoder::Use use);
  Tower(Tower&&) = delete;  // graphs hold the addresses of its weights

  /// float32 [tokens, unit * hidden_size] in the order of the pictures and their units: what the last block gives, the
  /// patches of a unit side by side. With `traces`, what happened on the way: window_index, cu_window_seqlens,
  /// cu_seqlens, row_column_of_patches, patch_embed, block0...
  at::Tensor units(const std::vector<const Picture*>& pictures, Traces* traces = nullptr);

 private:
  struct TowerBlock {
    at::Tensor norm1, norm2, qkv_bias, proj_bias, gate_bias, up_bias, down_bias;
    kernels::Weight qkv, proj, gate, up, down;
    bool full_attention;
  };
  void assemble();
  at::Tensor attention(TowerBlock& block, const at::Tensor& x, const decoder::Rotary::Angles& angles,
                       const PatchLayout& layout);
  at::Tensor feed_forward(TowerBlock& block, const at::Tensor& x);
  decoder::Rotary::Angles angles(const PatchLayout& layout);

  Vision vision_;
  decoder::Use use_;
  std::vector<Parameter> weights_;
  decoder::Rotary rotary_;
  std::vector<kernels::Weight> patch_embed_;  // one
  std::vector<TowerBlock> blocks_;
};

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
