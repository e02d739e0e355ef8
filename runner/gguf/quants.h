#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// What the blocks of a GGUF file's tensors stand for. Formats are named as in ggml; its source is their definition.
namespace compeer::gguf {

/// A tensor is a list of blocks, each of the same number of elements and bytes.
struct BlockFormat {
  const char* name;  ///< "Q4_K"
  uint32_t id;       ///< in the file
  size_t elements, bytes;
  /// One block [bytes] -> values [elements], as float32.
  void (*unpack)(const std::byte* block, float* values);
};

/// F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K to Q6_K; nullptr for all else.
const BlockFormat* find_format(uint32_t id);

/// What `id` is called, also of formats that are not unpacked here: "IQ4_NL", or "42" if nobody knows it.
std::string format_name(uint32_t id);
/// "F32, F16, ...": those that are.
std::string known_formats();

/// The values of whole blocks: exact products and sums in float32, as ggml computes them without fused multiply-add.
/// blocks [n * format.bytes] -> values [n * format.elements]
void unpack(const BlockFormat& format, std::span<const std::byte> blocks, std::span<float> values);

/// Exact.
float half_to_float(uint16_t half);
/// To the nearest, ties to even; what is no number stays none.
uint16_t float_to_bfloat16(float value);

}  // namespace compeer::gguf
