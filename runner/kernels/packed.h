#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "compeer/weight_format.h"

// Matrices as arguments of products C = A B, and the packed format of the right factor B [k, n]. B is usually the
// transpose of a weight matrix; k is the number of inputs and n the number of outputs of a linear layer.

namespace compeer::kernels {

/// A bfloat16 number: the upper 16 bits of a float32.
struct Bfloat16 {
  uint16_t bits = 0;
  /// The same number as float32.
  constexpr float widened() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
  /// Rounds a float32 to the nearest bfloat16, ties to even; NaN stays NaN.
  static constexpr Bfloat16 nearest(float value) {
    const auto bits = std::bit_cast<uint32_t>(value), up = bits + 0x7fff + (bits >> 16 & 1);
    return {static_cast<uint16_t>((value != value ? bits | 0x400000 : up) >> 16)};
  }
};

/// A strided matrix in memory, not owned: element (i, j) is data[i * row + j * column].
template <class T>
struct MatrixView {
  const T* data = nullptr;
  int64_t row = 0, column = 1;  ///< distances of rows and of columns, in elements
};
using View = MatrixView<float>;

/// Storage format of the numbers: float32, bfloat16, q8_0, q4_0 (blocks of 8- or 4-bit integers), or bfloat16_pairs,
/// which stores bfloat16 and also rounds the other factor of products to bfloat16.
using Format = WeightFormat;
constexpr bool is_quantized(Format format) { return format == Format::q8_0 || format == Format::q4_0; }
constexpr bool in_bfloat16(Format format) { return format == Format::bfloat16 || format == Format::bfloat16_pairs; }

/// The storage unit of a panel (16 columns of a packed matrix).
struct PanelBlock {
  int64_t rows;  ///< number of consecutive rows that are stored together
  size_t bytes;  ///< size of these rows in all 16 columns
};
/// Returns the storage unit of panels in a format.
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
/// In the last two, 32 rows of one column are one block of GGUF's formats of these names.
class Packed {
 public:
  static constexpr int64_t width = 16;  ///< columns of a panel
  Packed() = default;                   ///< an empty matrix
  /// Packs b [k, n] as float32.
  Packed(View b, int64_t k, int64_t n) { pack(b, k, n); }

  /// Packs b [k, n] in `format`, rounding its numbers if necessary, by all threads. Reuses the memory of this object if
  /// it is large enough.
  void pack(View b, int64_t k, int64_t n, Format format = Format::float32);
  void pack(MatrixView<Bfloat16> b, int64_t k, int64_t n, Format format);
  /// Discards the contents and returns the physical memory to the system until the next `pack`. The matrix is then
  /// empty.
  void forget();

  int64_t k() const { return k_; }  ///< number of rows
  int64_t n() const { return n_; }  ///< number of columns
  int64_t panels() const { return (n_ + width - 1) / width; }
  bool empty() const { return n_ == 0; }
  Format format() const { return format_; }
  /// Size of all panels, including padding.
  size_t bytes() const { return static_cast<size_t>(panels()) * panel_bytes(); }

  /// Returns the address of row `i` of panel `index`. `i` must be a multiple of the rows of a PanelBlock.
  const void* panel(int64_t index, int64_t i = 0) const {
    const auto [rows, bytes] = panel_block(format_);
    return data_.get() + static_cast<size_t>(index) * panel_bytes() + static_cast<size_t>(i / rows) * bytes;
  }
  size_t panel_bytes() const {
    const auto [rows, bytes] = panel_block(format_);
    return static_cast<size_t>((k_ + rows - 1) / rows) * bytes;
  }

 private:
  // Frees memory of `reserve`.
  struct Release {
    void operator()(std::byte* memory) const;
  };
  // Makes `data_` at least `size` bytes large; the contents are then undefined.
  void reserve(size_t size);
  // Implements both versions of `pack`.
  template <class T>
  void rearrange(MatrixView<T> b, int64_t k, int64_t n, Format format);

  int64_t k_ = 0, n_ = 0;
  Format format_ = Format::float32;
  size_t capacity_ = 0;                         // size of `data_` in bytes
  std::unique_ptr<std::byte[], Release> data_;  // the panels, one after another
};

/// The right factor B [k, n] of a product: a packed matrix, or an unpacked one in float32, which a product packs piece
/// by piece. The rows or the columns of an unpacked matrix must be contiguous, and `format` must be float32, or
/// bfloat16_pairs to round both factors. Refers to the matrix, which must outlive it.
struct RightMatrix {
  RightMatrix() = default;
  /// A packed matrix.
  RightMatrix(const Packed& b) : packed(&b), k(b.k()), n(b.n()), format(b.format()) {}
  /// An unpacked matrix [rows, columns].
  RightMatrix(View b, int64_t rows, int64_t columns, Format in = Format::float32)
      : unpacked(b), k(rows), n(columns), format(in) {}

  const Packed* packed = nullptr;   ///< null if B is not packed
  View unpacked;                    ///< the matrix if it is not packed
  int64_t k = 0, n = 0;             ///< number of rows and of columns
  Format format = Format::float32;  ///< format of the packed matrix, or of the computation with an unpacked one
};

}  // namespace compeer::kernels
