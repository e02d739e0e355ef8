#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "compeer/weight_format.h"

namespace compeer::kernels {

/// A bfloat16 number: the upper 16 bits of a float32.
struct Bfloat16 {
  uint16_t bits = 0;
  constexpr float widened() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  /// Rounds to nearest, ties to even; NaN stays NaN.
  static constexpr Bfloat16 nearest(float value) {
    const auto bits = std::bit_cast<uint32_t>(value), up = bits + 0x7fff + (bits >> 16 & 1);
    return {static_cast<uint16_t>((value != value ? bits | 0x400000 : up) >> 16)};
  }
};

/// A matrix in memory: element (i, j) is data[i * row + j * column].
template <class T>
struct MatrixView {
  const T* data = nullptr;
  int64_t row = 0, column = 1;  ///< distance of rows and of columns, in elements
};
using View = MatrixView<float>;

using Format = WeightFormat;  // float32, bfloat16, bfloat16_pairs, q8_0, q4_0
constexpr bool is_quantized(Format format) { return format == Format::q8_0 || format == Format::q4_0; }
constexpr bool in_bfloat16(Format format) { return format == Format::bfloat16 || format == Format::bfloat16_pairs; }

/// The storage unit of a panel: number of rows that are stored together, and their size.
struct PanelBlock {
  int64_t rows;
  size_t bytes;
};
/// Returns the storage unit of a format.
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

/// The right factor B [k, n] of products, packed once for many products: panels of 16 columns, of which the last is
/// padded with zeros, as are the rows to whole blocks. Layout of a panel:
///   float32                   [k][16]
///   bfloat16, bfloat16_pairs  [k / 2][16][2]: a 32-bit word holds two rows of one column, the earlier in the lower
///                             half; a shift and a mask widen them for any vector width
///   q8_0                      [k / 32] times 16 float16 scales and [32][16] bytes
///   q4_0                      [k / 32] times 16 float16 scales and [16][16] bytes: row i in the lower half of a byte,
///                             row i + 16 in the upper half
/// The last two are QuantizedBlocks (quantized.h) along k.
class Packed {
 public:
  static constexpr int64_t width = 16;  ///< columns of a panel
  Packed() = default;
  Packed(View b, int64_t k, int64_t n) { pack(b, k, n); }

  /// Packs a matrix, by all threads. Reuses the memory of this object if it is large enough.
  void pack(View b, int64_t k, int64_t n, Format format = Format::float32);
  void pack(MatrixView<Bfloat16> b, int64_t k, int64_t n, Format format);
  /// Discards the contents and returns the memory to the system (compeer::release_pages) until the next `pack`.
  void forget();

  int64_t k() const { return k_; }  ///< number of rows
  int64_t n() const { return n_; }  ///< number of columns, without padding
  int64_t panels() const { return (n_ + width - 1) / width; }
  bool empty() const { return n_ == 0; }
  Format format() const { return format_; }
  size_t bytes() const { return static_cast<size_t>(panels()) * panel_bytes(); }

  /// Returns the address of row `i`, where a block must begin, of panel `index`.
  const void* panel(int64_t index, int64_t i = 0) const {
    const auto [rows, bytes] = panel_block(format_);
    return data_.get() + static_cast<size_t>(index) * panel_bytes() + static_cast<size_t>(i / rows) * bytes;
  }
  size_t panel_bytes() const {
    const auto [rows, bytes] = panel_block(format_);
    return static_cast<size_t>((k_ + rows - 1) / rows) * bytes;
  }

 private:
  // Frees the memory and returns it to the system.
  struct Release {
    void operator()(std::byte* memory) const;
  };
  void reserve(size_t size);  // allocates at least `size` bytes; the contents are lost
  // Implements `pack` for elements of type T.
  template <class T>
  void rearrange(MatrixView<T> b, int64_t k, int64_t n, Format format);

  int64_t k_ = 0, n_ = 0;
  Format format_ = Format::float32;
  size_t capacity_ = 0;                         // bytes at `data_`
  std::unique_ptr<std::byte[], Release> data_;  // the panels
};

/// The right factor B [k, n] of a product: a packed matrix, or an unpacked one in float32, which a product packs piece
/// by piece. The rows or the columns of an unpacked matrix must be contiguous, and `format` must be float32, or
/// bfloat16_pairs to round both factors. Refers to the matrix, which must outlive it.
struct RightMatrix {
  RightMatrix() = default;
  RightMatrix(const Packed& b) : packed(&b), k(b.k()), n(b.n()), format(b.format()) {}
  RightMatrix(View b, int64_t rows, int64_t columns, Format in = Format::float32)
      : unpacked(b), k(rows), n(columns), format(in) {}

  const Packed* packed = nullptr;  ///< null if B is not packed
  View unpacked;                   ///< the matrix if it is not packed
  int64_t k = 0, n = 0;
  Format format = Format::float32;
};

}  // namespace compeer::kernels
