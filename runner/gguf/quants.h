#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// Dequantization of the weights in GGUF files. Formats have the names of ggml, whose source code defines them.
namespace compeer::gguf {

/// A storage format of weights. A tensor is a sequence of blocks of equal size.
struct BlockFormat {
  const char* name;        ///< "Q4_K"
  uint32_t id;             ///< format number in the file (ggml_type)
  size_t elements, bytes;  ///< number of values and number of bytes of a block
  /// Dequantizes one block [bytes] to float32 values [elements].
  void (*unpack)(const std::byte* block, float* values);
};

/// Returns the format with this number in the file (ggml_type): F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1 or Q2_K to
/// Q6_K. Null for all others.
const BlockFormat* find_format(uint32_t id);

/// Returns the name of a format, also of one that can't be unpacked: "IQ4_NL". Returns the number ("42") if it is
/// unknown.
std::string format_name(uint32_t id);
/// Returns the names of the formats that can be unpacked: "F32, F16, ...".
std::string known_formats();

/// Dequantizes n blocks of `format`: blocks [n * format.bytes] to values [n * format.elements]. Products and sums are
/// rounded to float32 one by one, as by ggml without fused multiply-add, so the values are bitwise identical to ggml's.
void unpack(const BlockFormat& format, std::span<const std::byte> blocks, std::span<float> values);

/// Converts float16, given as its bits, to float32; exact.
float half_to_float(uint16_t half);
/// Returns the bits of the nearest bfloat16, ties to even; NaN stays NaN.
uint16_t float_to_bfloat16(float value);

}  // namespace compeer::gguf
