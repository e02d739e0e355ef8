#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "compeer/weight_format.h"

namespace compeer::kernels {

/// A bfloat16 number: the upper half of a float32.
struct Bfloat16 {
  uint16_t bits = 0;
  constexpr float widened() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  /// Ties to even, as everywhere.
  static constexpr Bfloat16 nearest(float value) {
    const auto bits = std::bit_cast<uint32_t>(value), up = bits + 0x7fff + (bits >> 16 & 1);
    return {static_cast<uint16_t>((value != value ? bits | 0x400000 : up) >> 16)};
  }
};

/// Where the elements of a matrix lie: element (i, j) is data[i * row + j * column].
template <class T>
struct MatrixView {
  const T* data = nullptr;
  int64_t row = 0, column = 1;
};
using View = MatrixView<float>;

using Format = WeightFormat;
constexpr bool in_blocks(Format format) { return format == Format::q8_0 || format == Format::q4_0; }
constexpr bool in_bfloat16(Format format) { return format == Format::bfloat16 || format == Format::bfloat16_pairs; }

/// So many rows of a panel lie together, in so many bytes.
struct PanelBlock {
  int64_t rows;
  size_t bytes;
};
constexpr PanelBlock panel_block(Format format) {
  switch (format) {
    case Format::float32:
      return {1, 64};
    case Format::bfloat16:
    case Format::bfloat16_pairs:
      return {2, 64};
    case Format::q8_0:
      return {32, 32 + 512};
    case Format::q4_0:
      return {32, 32 + 256};
  }
  return {};
}

/// A right-hand matrix B [k, n] rearranged once for many products, by all threads: panels of 16 columns, the last one
/// padded with zeros, and their rows to whole blocks. A panel is
///   float32   [k][16]
///   bfloat16, bfloat16_pairs  [k / 2][16][2]: a 32-bit word holds two rows of one column, the earlier in its lower
///   half, so that a
///             shift and a mask widen them for any vector width
///   q8_0      [k / 32] times 16 float16 scales and [32][16] bytes
///   q4_0      [k / 32] times 16 float16 scales and [16][16] bytes: row i in the lower half, row i + 16 in the upper
///   one
/// The last two are `quantized.h`'s blocks along k.
class Packed {
 public:
  static constexpr int64_t width = 16;
  Packed() = default;
  Packed(View b, int64_t k, int64_t n) { pack(b, k, n); }

  /// Reuse the memory they have.
  void pack(View b, int64_t k, int64_t n, Format format = Format::float32);
  void pack(MatrixView<Bfloat16> b, int64_t k, int64_t n, Format format);
  void forget();  ///< what it holds: until it is packed again, its memory is free for something else

  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  int64_t panels() const { return (n_ + width - 1) / width; }
  bool empty() const { return n_ == 0; }
  Format format() const { return format_; }
  size_t bytes() const { return static_cast<size_t>(panels()) * panel_bytes(); }

  /// Row `i` of panel `index` on, where a block begins.
  const void* panel(int64_t index, int64_t i = 0) const {
    const auto [rows, bytes] = panel_block(format_);
    return data_.get() + static_cast<size_t>(index) * panel_bytes() + static_cast<size_t>(i / rows) * bytes;
  }
  size_t panel_bytes() const {
    const auto [rows, bytes] = panel_block(format_);
    return static_cast<size_t>((k_ + rows - 1) / rows) * bytes;
  }

 private:
  struct Release {
    void operator()(std::byte* memory) const;
  };
  void reserve(size_t size);
  template <class T>
  void rearrange(MatrixView<T> b, int64_t k, int64_t n, Format format);

  int64_t k_ = 0, n_ = 0;
  Format format_ = Format::float32;
  size_t capacity_ = 0;
  std::unique_ptr<std::byte[], Release> data_;
};

/// The right factor of a product: a matrix B [k, n] that was rearranged, or one as it lies, which a product of many
/// rows rearranges piece by piece on its way. There the elements of a row, or those of a column, must be neighbours,
/// and of the formats there are float32 and bfloat16_pairs.
struct RightMatrix {
  RightMatrix() = default;
  RightMatrix(const Packed& b) : packed(&b), k(b.k()), n(b.n()), format(b.format()) {}
  RightMatrix(View b, int64_t rows, int64_t columns, Format in = Format::float32)
      : lies(b), k(rows), n(columns), format(in) {}

  const Packed* packed = nullptr;
  View lies;  ///< if it isn't packed
  int64_t k = 0, n = 0;
  Format format = Format::float32;
};

}  // namespace compeer::kernels
