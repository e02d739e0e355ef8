#pragma once
#include <array>
#include <cstdint>

#include "kernels/packed.h"

namespace compeer::kernels {

/// Quantization of weights to GGUF's block formats q8_0 and q4_0.

/// Up to 32 consecutive elements of a weight's row as 8- or 4-bit integers with a common scale. The value of element j
/// is q[j] * scale, exact in float32.
struct QuantizedBlock {
  static constexpr int64_t length = 32;  ///< elements of a block
  uint16_t scale = 0;                    ///< bits of a float16
  std::array<int8_t, length> q{};        ///< integers; q4_0: in [-8, 7]; 0 past the end of the row
  float widened_scale() const;           ///< the scale as float32
  /// Returns the value of element j.
  float value(int64_t j) const { return static_cast<float>(q[static_cast<size_t>(j)]) * widened_scale(); }
};

/// Quantizes x = `values` [count], count <= 32, to `format`, which is q8_0 or q4_0, by the rule of ggml
/// (quantize_row_q8_0_ref, quantize_row_q4_0_ref):
///   q8_0: scale = max |x| / 127,                   q = x / scale rounded to the nearest, halves away from zero
///   q4_0: scale = (x of largest magnitude) / -8,   q = floor(x / scale + 8.5) - 8, at most 7
/// q is computed with the float32 scale, which is then rounded to float16. Quantizing the values of a quantized block
/// gives the same block again, so weights of a GGUF file are preserved exactly. (If the scale underflows in float16,
/// all values are zero.)
QuantizedBlock quantized(const float* values, int64_t count, Format format);

/// Rounds each value of row [count] in place to the value that `format` stores: in blocks of 32 for q8_0 and q4_0, one
/// by one for bfloat16; float32 is unchanged.
void round_row(float* row, int64_t count, Format format);

}  // namespace compeer::kernels
