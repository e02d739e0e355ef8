#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace compeer::qwen2 {

/// Cosines and sines of the rotary angles position * theta^(-2i/dim), in float32 steps as transformers takes them.
/// A table that grows as longer positions are asked for.
class Rotary {
 public:
  Rotary(int64_t dim, double theta) : half_(dim / 2), theta_(theta) {}

  struct Angles {
    at::Tensor cosine, sine;  ///< [rows, dim / 2]
  };
  Angles angles(const std::vector<int64_t>& positions);

 private:
  void grow(int64_t positions);
  int64_t half_;
  double theta_;
  std::vector<float> cosine_, sine_;
};

}  // namespace compeer::qwen2
