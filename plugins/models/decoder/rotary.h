#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "compeer/model.h"
#include "config.h"

namespace compeer::decoder {

// Rotary position embeddings (RoPE) of the decoders: positions of a batch's rows, and their cosines and sines. Images
// have two-dimensional positions, videos three-dimensional ones, so a row has a position along each of three axes.

/// Rotary positions of a batch's rows, [axis][row], with the axes time, height and width. Text has the same position on
/// all axes.
using Positions = std::array<std::vector<int64_t>, 3>;

/// Returns the positions of all rows of a batch. A segment with images (Segment::vision) has those of its
/// VisionFeatures; the rows of any other count from Segment::position + Segment::rope_offset.
Positions positions(const Batch& batch);

/// Computes cosines and sines of the rotary angles position * frequency, in float32 in the same steps as Hugging Face
/// transformers. With Rope::sections [16, 24, 24], the first 16 frequencies use the position on the first axis, the
/// next 24 that on the second and the last 24 that on the third; without sections, all use the first axis. Caches a
/// table that grows with the largest position. Not thread-safe.
class Rotary {
 public:
  /// `dim`: the size of an attention head. `precision`: kFloat; kBFloat16 rounds the frequencies, as converting a whole
  /// model to bfloat16 does.
  Rotary(const Rope& rope, int64_t dim, at::ScalarType precision = at::kFloat);

  /// Cosines and sines of the angles of some rows, each float32 [rows, dim / 2].
  struct Angles {
    at::Tensor cosine, sine;
  };
  /// Returns the angles of rows with these positions.
  Angles angles(const Positions& positions);

 private:
  // Extends the tables to the positions 0 ... positions - 1.
  void grow(int64_t positions);
  int64_t half_;                      // number of frequencies, dim / 2
  double magnitude_;                  // factor of cosines and sines (Rope::magnitude)
  std::vector<float> frequency_;      // radians per position, [dim / 2]
  std::vector<size_t> axis_;          // axis (index in Positions) of each frequency, [dim / 2]
  std::vector<float> cosine_, sine_;  // cached tables, [position][dim / 2]
};

}  // namespace compeer::decoder
