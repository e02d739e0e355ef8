#pragma once
#include <array>
#include <cstdint>

#include "kernels/packed.h"

namespace compeer::kernels {

/// Up to 32 neighbours of a weight's row in 8 or 4 bits: element j stands for q[j] * scale, exactly in float32.
struct QuantizedBlock {
  static constexpr int64_t length = 32;
  uint16_t scale = 0;              ///< float16
  std::array<int8_t, length> q{};  ///< of 4 bits: -8 to 7; 0 past the end
  float widened_scale() const;
  float value(int64_t j) const { return static_cast<float>(q[static_cast<size_t>(j)]) * widened_scale(); }
};

/// By ggml's rule (quantize_row_q8_0_ref, quantize_row_q4_0_ref), with x the block's values:
///   q8_0: scale = max |x| / 127,                   q = x / scale rounded to the nearest, halves away from zero
///   q4_0: scale = (x of largest magnitude) / -8,   q = floor(x / scale + 8.5) - 8, at most 7
/// q is found with the scale in float32, which is then rounded to float16. Values that such a block stands for give the
/// same block again (one whose scale float16 loses gives zeros): a GGUF file's weights come back as they were.
QuantizedBlock quantized(const float* values, int64_t count, Format format);

/// Each value of a row becomes what it is kept as: blocks of 32 in q8_0 or q4_0, numbers in bfloat16.
void round_row(float* row, int64_t count, Format format);

}  // namespace compeer::kernels
