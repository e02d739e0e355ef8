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

// The vision tower of Qwen2.5-VL: a transformer over the patches of pictures (images and videos), and the merger, which
// makes rows for the text model. A unit is the square of patches that becomes one token of the text model. Pictures
// store their patches unit by unit; the tower processes them window by window.

/// Positions of pictures' patches and the ranges of patches that attend to each other.
struct PatchLayout {
  std::vector<int64_t> order;              ///< window_index: index of the unit at each position of the tower's order
  std::vector<kernels::RowRange> windows;  ///< ranges of patches, in the tower's order, for windowed attention
  /// Ranges of patches, in the tower's order, for full attention: one image, or one time step of a video.
  std::vector<kernels::RowRange> frames;
  std::vector<int64_t> row, column;  ///< row and column of each patch in its picture, in the pictures' order
};
/// Returns the layout of some pictures, one after the other. Their sizes must be valid (check_picture).
PatchLayout layout(const std::vector<const Picture*>& pictures, const Vision& vision);

/// Returns the published names and the shapes of the tower's weights without the merger's, in the order that Tower
/// needs.
std::vector<decoder::Entry> tower_entries(const Vision& vision);

/// Intermediate results by the names that reference files use.
using Traces = std::map<std::string, at::Tensor>;

/// The vision tower without its merger: patch embedding and blocks with windowed or full attention. Pictures do not
/// attend to each other, and the order of operations of a row is fixed: the results for a picture are bitwise identical
/// whatever else is in the batch, on any number of threads.
class Tower {
 public:
  /// `weights`: in the order of `tower_entries`. They are prepared for the kernels at the first use.
  Tower(const Vision& vision, std::vector<Parameter> weights, decoder::ComputeOptions use);
  Tower(Tower&&) = delete;  // graphs hold the addresses of its weights

  /// Returns the output of the last block, float32 [units, unit() * hidden_size] on the CPU, in the order of the
  /// pictures and their units, with the patches of a unit concatenated. Stores intermediate results in `traces` if
  /// given: window_index, cu_window_seqlens, cu_seqlens, row_column_of_patches, patch_embed, block0, ...
  at::Tensor units(const std::vector<const Picture*>& pictures, Traces* traces = nullptr);

 private:
  // The weights of a transformer block. Names are those of the published weights.
  struct TowerBlock {
    at::Tensor norm1, norm2, qkv_bias, proj_bias, gate_bias, up_bias, down_bias;
    kernels::Weight qkv, proj, gate, up, down;
    bool full_attention;  // attention over whole pictures; false: within windows
  };
  // Builds `patch_embed_` and `blocks_` from `weights_`.
  void assemble();
  // The two halves of a block without the residual addition: x [patches, hidden_size] -> the same shape. Rows are in
  // the tower's order.
  at::Tensor attention(TowerBlock& block, const at::Tensor& x, const decoder::Rotary::Angles& angles,
                       const PatchLayout& layout);
  at::Tensor feed_forward(TowerBlock& block, const at::Tensor& x);
  // Returns the rotary angles of the patches' rows and columns, in the tower's order.
  decoder::Rotary::Angles angles(const PatchLayout& layout);

  Vision vision_;
  decoder::ComputeOptions use_;
  std::vector<Parameter> weights_;            // in the order of `tower_entries`
  decoder::Rotary rotary_;                    // for half a head: rows and columns use the same frequencies
  std::vector<kernels::Weight> patch_embed_;  // the patch embedding: empty until assembled, then one element
  std::vector<TowerBlock> blocks_;            // empty until assembled
};

/// Returns the published names and the shapes of the merger's weights, in the order that Merger needs.
std::vector<decoder::Entry> merger_entries(const Vision& vision);

/// The merger: the last part of the tower, which maps each unit to one row for the text model. Frozen or trained with
/// the text model; a row is bitwise identical in sampling and training.
class Merger {
 public:
  /// `weights`: in the order of `merger_entries`. They are prepared for the kernels at the first use.
  Merger(const Vision& vision, std::vector<Parameter> weights, decoder::ComputeOptions use);
  Merger(Merger&&) = delete;  // graphs hold the addresses of its weights

  /// units [units, unit() * hidden_size], the result of Tower::units -> features [units, out_hidden_size].
  at::Tensor features(const at::Tensor& units);

  /// Returns true if the merger is trained.
  bool trains() const { return !use_.storage.frozen; }
  const std::vector<Parameter>& weights() const { return weights_; }
  /// Returns the weights in the form to be saved: on the host, in bfloat16 if they are trained in it.
  std::vector<Parameter> stored() const { return use_.storage.stored(weights_); }
  /// To be called after weights have been changed in place.
  void parameters_changed();

 private:
  Vision vision_;
  decoder::ComputeOptions use_;
  std::vector<Parameter> weights_;       // in the order of `merger_entries`
  std::vector<kernels::Weight> linear_;  // its two matrices, ready for the kernels; empty until used
};

}  // namespace compeer::qwen2_5_vl
