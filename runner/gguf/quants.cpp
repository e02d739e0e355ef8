// Dequantization. d and m are a block's scale and offset. The k-quants have blocks of 256 elements, divided into parts
// of 16 or 32 elements with small integer scales per part. The comment above a function gives the layout of a block,
// with sizes [n] in bytes.
#include "gguf/quants.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cstring>

namespace compeer::gguf {

float half_to_float(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 0x1Fu, mantissa = half & 0x3FFu;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  const uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

namespace {

// The bytes of a block. Blocks may be unaligned, so everything is read byte by byte.
struct BlockBytes {
  const std::byte* start;

  uint32_t u8(size_t at) const { return std::to_integer<uint32_t>(start[at]); }
  int i8(size_t at) const { return static_cast<int8_t>(start[at]); }
  uint16_t u16(size_t at) const { return static_cast<uint16_t>(u8(at) | u8(at + 1) << 8); }
  uint32_t u32(size_t at) const { return uint32_t{u16(at)} | uint32_t{u16(at + 2)} << 16; }
  float half(size_t at) const { return half_to_float(u16(at)); }
  uint32_t low(size_t at) const { return u8(at) & 0xFu; }
  uint32_t high(size_t at) const { return u8(at) >> 4; }
};

float number(uint32_t n) { return static_cast<float>(n); }
float number(int n) { return static_cast<float>(n); }

void unpack_f32(const std::byte* block, float* y) { y[0] = std::bit_cast<float>(BlockBytes{block}.u32(0)); }
void unpack_f16(const std::byte* block, float* y) { y[0] = BlockBytes{block}.half(0); }
void unpack_bf16(const std::byte* block, float* y) {
  y[0] = std::bit_cast<float>(uint32_t{BlockBytes{block}.u16(0)} << 16);
}

void unpack_q8_0(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(0);
  for (size_t j = 0; j < 32; ++j) y[j] = number(b.i8(2 + j)) * d;
}

// d, four bits for each element [16]: element j is in the low half of byte j, element j + 16 in the high half.
void unpack_q4_0(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(0);
  for (size_t j = 0; j < 16; ++j) {
    y[j] = number(static_cast<int>(b.low(2 + j)) - 8) * d;
    y[j + 16] = number(static_cast<int>(b.high(2 + j)) - 8) * d;
  }
}

void unpack_q4_1(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(0), m = b.half(2);
  for (size_t j = 0; j < 16; ++j) {
    y[j] = number(b.low(4 + j)) * d + m;
    y[j + 16] = number(b.high(4 + j)) * d + m;
  }
}

// d, a 32-bit word with the fifth bit of each element, four bits for each element [16] as in Q4_0.
void unpack_q5_0(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(0);
  const uint32_t fifth = b.u32(2);
  for (size_t j = 0; j < 16; ++j) {
    y[j] = number(static_cast<int>(b.low(6 + j) | (fifth >> j & 1u) << 4) - 16) * d;
    y[j + 16] = number(static_cast<int>(b.high(6 + j) | (fifth >> (j + 16) & 1u) << 4) - 16) * d;
  }
}

void unpack_q5_1(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(0), m = b.half(2);
  const uint32_t fifth = b.u32(4);
  for (size_t j = 0; j < 16; ++j) {
    y[j] = number(b.low(8 + j) | (fifth >> j & 1u) << 4) * d + m;
    y[j + 16] = number(b.high(8 + j) | (fifth >> (j + 16) & 1u) << 4) * d + m;
  }
}

// scales[16], two bits for each element [64], d, dmin. The low half of a byte in `scales` is the part's scale, the high
// half its offset.
void unpack_q2_k(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(80), dmin = b.half(82);
  for (size_t part = 0; part < 16; ++part) {
    const float scale = d * number(b.low(part)), offset = dmin * number(b.high(part));
    const size_t from = 16 + part / 8 * 32 + part % 2 * 16, shift = part % 8 / 2 * 2;
    for (size_t j = 0; j < 16; ++j) y[16 * part + j] = scale * number(b.u8(from + j) >> shift & 3u) - offset;
  }
}

// hmask[32], two bits for each element [64], scales[12] of six bits each, d. An element whose bit in hmask is 0 is
// reduced by 4.
void unpack_q3_k(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(108);
  for (size_t part = 0; part < 16; ++part) {
    const uint32_t four = part < 8 ? b.low(96 + part) : b.high(96 + part - 8);
    const uint32_t two = b.u8(104 + part % 4) >> part / 4 * 2 & 3u;
    const float scale = d * number(static_cast<int>(four | two << 4) - 32);
    const size_t from = part / 8 * 32 + part % 2 * 16, shift = part % 8 / 2 * 2, bit = part / 2;
    for (size_t j = 0; j < 16; ++j) {
      const int value = static_cast<int>(b.u8(32 + from + j) >> shift & 3u);
      y[16 * part + j] = scale * number(b.u8(part % 2 * 16 + j) >> bit & 1u ? value : value - 4);
    }
  }
}

// Scale and offset of one of the eight parts of a Q4_K or Q5_K block, six bits each, packed in twelve bytes.
struct PartScale {
  uint32_t scale, offset;
};

PartScale part_scale(const BlockBytes& scales, size_t part) {
  if (part < 4) return {scales.u8(part) & 63u, scales.u8(part + 4) & 63u};
  return {scales.low(part + 4) | scales.u8(part - 4) >> 6 << 4, scales.high(part + 4) | scales.u8(part) >> 6 << 4};
}

// d, dmin, scales[12], four bits for each element [128]: two parts of 32 elements share 32 bytes.
void unpack_q4_k(const std::byte* block, float* y) {
  const BlockBytes b{block}, scales{block + 4};
  const float d = b.half(0), dmin = b.half(2);
  for (size_t part = 0; part < 8; ++part) {
    const auto [s, m] = part_scale(scales, part);
    const float scale = d * number(s), offset = dmin * number(m);
    for (size_t j = 0; j < 32; ++j) {
      const size_t at = 16 + part / 2 * 32 + j;
      y[32 * part + j] = scale * number(part % 2 ? b.high(at) : b.low(at)) - offset;
    }
  }
}

// As Q4_K, with qh[32] before the elements: bit `part` of qh[j] is the fifth bit of element j of the part.
void unpack_q5_k(const std::byte* block, float* y) {
  const BlockBytes b{block}, scales{block + 4};
  const float d = b.half(0), dmin = b.half(2);
  for (size_t part = 0; part < 8; ++part) {
    const auto [s, m] = part_scale(scales, part);
    const float scale = d * number(s), offset = dmin * number(m);
    for (size_t j = 0; j < 32; ++j) {
      const size_t at = 48 + part / 2 * 32 + j;
      const uint32_t fifth = b.u8(16 + j) >> part & 1u;
      y[32 * part + j] = scale * number((part % 2 ? b.high(at) : b.low(at)) | fifth << 4) - offset;
    }
  }
}

// ql[128], qh[64], scales[16] (signed), d. Each half of 128 elements is four quarters of 32: quarters 0 and 2 share 32
// bytes of ql, quarters 1 and 3 the next 32 bytes; qh has two bits for each element.
void unpack_q6_k(const std::byte* block, float* y) {
  const BlockBytes b{block};
  const float d = b.half(208);
  for (size_t quarter = 0; quarter < 8; ++quarter) {
    const size_t half = quarter / 4, within = quarter % 4;
    for (size_t j = 0; j < 32; ++j) {
      const size_t at = half * 64 + within % 2 * 32 + j;
      const uint32_t four = within < 2 ? b.low(at) : b.high(at);
      const uint32_t two = b.u8(128 + half * 32 + j) >> within * 2 & 3u;
      const float scale = d * number(b.i8(192 + half * 8 + within * 2 + j / 16));
      y[32 * quarter + j] = scale * number(static_cast<int>(four | two << 4) - 32);
    }
  }
}

constexpr BlockFormat formats[] = {
    {"F32", 0, 1, 4, unpack_f32},        {"F16", 1, 1, 2, unpack_f16},        {"BF16", 30, 1, 2, unpack_bf16},
    {"Q8_0", 8, 32, 34, unpack_q8_0},    {"Q4_0", 2, 32, 18, unpack_q4_0},    {"Q4_1", 3, 32, 20, unpack_q4_1},
    {"Q5_0", 6, 32, 22, unpack_q5_0},    {"Q5_1", 7, 32, 24, unpack_q5_1},    {"Q2_K", 10, 256, 84, unpack_q2_k},
    {"Q3_K", 11, 256, 110, unpack_q3_k}, {"Q4_K", 12, 256, 144, unpack_q4_k}, {"Q5_K", 13, 256, 176, unpack_q5_k},
    {"Q6_K", 14, 256, 210, unpack_q6_k}};

// Formats that can't be unpacked, for error messages.
struct FormatName {
  uint32_t id;
  const char* name;
};

constexpr FormatName others[] = {{9, "Q8_1"},   {15, "Q8_K"},   {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"},
                                 {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"},   {22, "IQ2_S"},  {23, "IQ4_XS"},
                                 {24, "I8"},    {25, "I16"},    {26, "I32"},     {27, "I64"},    {28, "F64"},
                                 {29, "IQ1_M"}, {34, "TQ1_0"},  {35, "TQ2_0"},   {39, "MXFP4"}};

}  // namespace

const BlockFormat* find_format(uint32_t id) {
  for (const BlockFormat& format : formats) {
    if (format.id == id) return &format;
  }
  return nullptr;
}

std::string format_name(uint32_t id) {
  if (const auto* format = find_format(id)) return format->name;
  for (const FormatName& other : others) {
    if (other.id == id) return other.name;
  }
  return std::to_string(id);
}

std::string known_formats() {
  std::string names;
  for (const BlockFormat& format : formats) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

void unpack(const BlockFormat& format, std::span<const std::byte> blocks, std::span<float> values) {
  const size_t count = blocks.size() / format.bytes;
  assert(count * format.bytes == blocks.size() && count * format.elements == values.size());
  for (size_t i = 0; i < count; ++i) format.unpack(&blocks[i * format.bytes], &values[i * format.elements]);
}

}  // namespace compeer::gguf
