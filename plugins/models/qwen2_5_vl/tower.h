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

/// Positions of pictures' patches and the ranges of patches that attend to each other. A unit is the square of patches
/// that becomes one token. Pictures store their patches unit by unit; the tower processes them window by window.
struct PatchLayout {
  std::vector<int64_t> order;              ///< window_index: unit at each position of the tower's order
  std::vector<kernels::RowRange> windows;  ///< ranges of patches, in the tower's order, for windowed attention
  /// Ranges for full attention: one picture, or one time step of a video.
  std::vector<kernels::RowRange> frames;
  std::vector<int64_t> row, column;  ///< row and column of each patch in its picture, in the pictures' order
};
/// Returns the layout of some pictures, which must have passed check_picture.
PatchLayout layout(const std::vector<const Picture*>& pictures, const Vision& vision);

/// Returns the published names and the shapes of the tower's weights without the merger's, in the order in which they
/// are stored.
std::vector<decoder::Entry> tower_entries(const Vision& vision);

/// Intermediate results by the names that reference files use.
using Traces = std::map<std::string, at::Tensor>;

/// The vision tower without its merger: patch embedding and blocks with windowed or full attention. Pictures do not
/// attend to each other, and the order of operations of a row is fixed: the results for a picture are bitwise identical
/// whatever else is in the batch, on any number of threads.
class Tower {
 public:
  /// `weights`: as `tower_entries` lists them. Frozen ones are repacked on first use.
  Tower(const Vision& vision, std::vector<Parameter> weights, decoder::ComputeOptions use);
  Tower(Tower&&) = delete;  // graphs hold the addresses of its weights

  /// Returns the output of the last block, float32 [tokens, unit * hidden_size], in the order of the pictures and their
  /// units, with the patches of a unit concatenated. Stores intermediate results in `traces` if given: window_index,
  /// cu_window_seqlens, cu_seqlens, row_column_of_patches, patch_embed, block0, ...
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
  decoder::ComputeOptions use_;
  std::vector<Parameter> weights_;
  decoder::Rotary rotary_;
  std::vector<kernels::Weight> patch_embed_;  // one element, once assembled
  std::vector<TowerBlock> blocks_;
};

/// Returns the published names and the shapes of the merger's weights, in the order in which they are stored.
std::vector<decoder::Entry> merger_entries(const Vision& vision);

/// The merger: the last part of the tower, which maps each unit to one row for the text model. Frozen or trained with
/// the text model; a row is bitwise identical in sampling and training.
class Merger {
 public:
  /// `weights`: as `merger_entries` lists them. Frozen ones are repacked on first use.
  Merger(const Vision& vision, std::vector<Parameter> weights, decoder::ComputeOptions use);
  Merger(Merger&&) = delete;  // graphs hold the addresses of its weights

  /// units [tokens, unit * hidden_size], from Tower::units -> features [tokens, out_hidden_size].
  at::Tensor features(const at::Tensor& units);

  /// Returns true if the merger is trained.
  bool trains() const { return !use_.storage.frozen; }
  const std::vector<Parameter>& weights() const { return weights_; }
  std::vector<Parameter> stored() const { return use_.storage.stored(weights_); }  ///< weights in the form to be saved
  /// To be called after weights have been changed in place.
  void parameters_changed();

 private:
  Vision vision_;
  decoder::ComputeOptions use_;
  std::vector<Parameter> weights_;
  std::vector<kernels::Weight> linear_;  // two elements, once used
};

}  // namespace compeer::qwen2_5_vl
