#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "compeer/model.h"
#include "config.h"

namespace compeer::decoder {

/// Rotary positions of the rows of a batch along three axes: time, height and width of a picture. Text has the same
/// number on all three.
using Positions = std::array<std::vector<int64_t>, 3>;

/// What the segments say: a segment with `vision` has its positions, any other counts on from position + shift.
Positions positions(const Batch& batch);

/// Cosines and sines of the rotary angles position * frequency, in float32 steps as transformers takes them. With
/// `sections`, [16, 24, 24] say, the first 16 frequencies go with the first axis, the next 24 with the second, and so
/// on; without, all go with the first. `precision` kBFloat16 rounds the frequencies, as happens to a model that is
/// brought to bfloat16 as a whole. A table that grows as longer positions are asked for.
class Rotary {
 public:
  Rotary(const Rope& rope, int64_t dim, at::ScalarType precision = at::kFloat);

  struct Angles {
    at::Tensor cosine, sine;  ///< [rows, dim / 2]
  };
  Angles angles(const Positions& positions);

 private:
  void grow(int64_t positions);
  int64_t half_;
  double magnitude_;
  std::vector<float> frequency_;
  std::vector<size_t> axis_;  ///< of each frequency
  std::vector<float> cosine_, sine_;
};

}  // namespace compeer::decoder
