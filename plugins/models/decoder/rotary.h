#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "compeer/model.h"
#include "config.h"

namespace compeer::decoder {

/// Rotary positions of a batch's rows along three axes: time, height and width. Text has the same position on all axes.
using Positions = std::array<std::vector<int64_t>, 3>;

/// Returns the positions of all rows. A segment with `vision` has those of its VisionFeatures; any other counts from
/// position + shift.
Positions positions(const Batch& batch);

/// Computes cosines and sines of the rotary angles position * frequency, in float32 in the same steps as transformers.
/// With `sections` [16, 24, 24], the first 16 frequencies use the first axis, the next 24 the second and the last 24
/// the third; without, all use the first. `precision` kBFloat16 rounds the frequencies, as converting a whole model to
/// bfloat16 does. Caches a table that grows with the largest position.
class Rotary {
 public:
  Rotary(const Rope& rope, int64_t dim, at::ScalarType precision = at::kFloat);

  struct Angles {
    at::Tensor cosine, sine;  ///< float32 [rows, dim / 2]
  };
  /// Returns the angles of the given rows; not thread-safe.
  Angles angles(const Positions& positions);

 private:
  void grow(int64_t positions);
  int64_t half_;
  double magnitude_;
  std::vector<float> frequency_;
  std::vector<size_t> axis_;  ///< axis of each frequency
  std::vector<float> cosine_, sine_;
};

}  // namespace compeer::decoder
