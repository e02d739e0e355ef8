// Quantization by the rules of ggml, written so that the compiler vectorizes it.
#include "kernels/quantized.h"

#include <c10/util/Half.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace compeer::kernels {

namespace {

constexpr int64_t block_length = QuantizedBlock::length;

float inverse(float scale) { return scale != 0 ? 1 / scale : 0; }

// Like std::round. Adds the largest float below 0.5, because with 0.5 the addition itself would round a number just
// below one half up.
int8_t nearest(float x) { return static_cast<int8_t>(static_cast<int>(x + std::copysign(0x1.fffffep-2f, x))); }

// Returns |x| as an integer. Integers are ordered like the magnitudes, and their maximum is vectorized by the compiler.
uint32_t magnitude(float x) { return std::bit_cast<uint32_t>(x) & 0x7fffffff; }

// Returns the largest magnitude of a block.
uint32_t largest(const float* x) {
  uint32_t most = 0;
  for (int64_t j = 0; j < block_length; ++j) most = std::max(most, magnitude(x[j]));
  return most;
}

// Quantize a block, and return its scale before rounding.
float eight_bits(const float* x, int8_t* q) {
  const float scale = std::bit_cast<float>(largest(x)) / 127, factor = inverse(scale);
  for (int64_t j = 0; j < block_length; ++j) q[j] = nearest(x[j] * factor);
  return scale;
}

float four_bits(const float* x, int8_t* q) {
  const float most = *std::find_if(x, x + block_length, [m = largest(x)](float one) { return magnitude(one) == m; });
  const float scale = most / -8, factor = inverse(scale);
  for (int64_t j = 0; j < block_length; ++j)
    q[j] = static_cast<int8_t>(static_cast<int>(std::min(15.0f, x[j] * factor + 8.5f)) - 8);
  return scale;
}

}  // namespace

float QuantizedBlock::widened_scale() const { return c10::Half(scale, c10::Half::from_bits()); }

QuantizedBlock quantized(const float* values, int64_t count, Format format) {
  QuantizedBlock block;
  float x[block_length] = {};
  std::copy_n(values, count, x);
  const float scale = format == Format::q8_0 ? eight_bits(x, block.q.data()) : four_bits(x, block.q.data());
  block.scale = c10::Half(scale).x;
  return block;
}

void round_row(float* row, int64_t count, Format format) {
  if (in_bfloat16(format)) {
    for (int64_t j = 0; j < count; ++j) row[j] = Bfloat16::nearest(row[j]).widened();
  }
  if (!is_quantized(format)) return;
  for (; count > 0; row += QuantizedBlock::length, count -= QuantizedBlock::length) {
    const int64_t some = std::min(count, QuantizedBlock::length);
    const auto block = quantized(row, some, format);
    for (int64_t j = 0; j < some; ++j) row[j] = block.value(j);
  }
}

}  // namespace compeer::kernels
