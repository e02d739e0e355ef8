// Packs the factors A and B of a product (MatrixProduct) for register tiles, one chunk of k at a time, if they can't be
// read directly. A chunk is 256 elements of k; a row block is the rows of A in one tile; a panel is 16 columns of B.
// With bfloat16 pairs, numbers are rounded to bfloat16 and two along k form a pair: a 32-bit word, or two floats, the
// later first. Included once for each instruction set (Highway's foreach_target), hence the unusual guard.
#include <cstring>

#include "kernels/instruction_set.h"
#include "kernels/product.h"

#if defined(COMPEER_KERNELS_FACTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COMPEER_KERNELS_FACTORS_INL_H
#undef COMPEER_KERNELS_FACTORS_INL_H
#else
#define COMPEER_KERNELS_FACTORS_INL_H
#endif

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

constexpr int most_packed_rows = lane_count == 16 ? 14 : 6;  // maximum rows of a tile for packed A
// Distances in floats of packed row blocks, and of rows copied in bfloat16 pairs, within a chunk.
constexpr int64_t block_step = chunk_length * most_packed_rows + 16, rounded_step = chunk_length + 16;

// True if the product is of bfloat16 pairs and the instruction set multiplies them as 32-bit words.
HWY_INLINE bool in_words(const MatrixProduct& product) { return product.pairs() && pairs_are_words(); }

// Returns the address of row `i` (an index along k) of A^T or B (`matrix`), from column `from` on. `step`: distance of
// rows in floats. Returns zeros for a row past the end and for -1 in `product.order`, so that a row without a partner
// is paired with zeros.
HWY_INLINE const float* row_of(const MatrixProduct& product, View matrix, int64_t step, int64_t i, int64_t from) {
  const int64_t at = i >= product.k ? -1 : product.order ? (*product.order)[static_cast<size_t>(i)] : i;
  return at < 0 ? zeros : matrix.data + at * step + from;
}

// The left factor: the rows `rows` of A, divided into `row_blocks` row blocks. Contiguous rows are read directly, or
// copied if they must be rounded (bfloat16 pairs). If the columns of A are contiguous, each block is packed as
// [k][rows]. `begin` is the first index along k of a chunk. Call prepare_all() once, prepare_chunk() for each chunk and
// prepare_block() for each block of it; each does nothing unless the layout of A requires it.
class LeftRows {
 public:
  LeftRows(const MatrixProduct& product, IndexRange rows, int64_t row_blocks)
      : p_(product),
        rows_(rows),
        row_blocks_(row_blocks),
        along_rows_(product.a.column == 1),
        words_(in_words(product)),
        rounds_(product.pairs() && along_rows_),
        whole_(streams(product, rows.size())) {}

  // Prepares all chunks, if there are so few rows that B is streamed from memory.
  void prepare_all() {
    if (!rounds_ || !whole_) return;
    const auto size = static_cast<size_t>(rows_.size() * rounded_row());
    if (rounded_.size() < size) rounded_.resize(size);
    for (int64_t r = 0; r < rows_.size(); ++r)
      pair(p_.a.data + (rows_.from + r) * p_.a.row, p_.k, rounded_.data() + r * rounded_row());
  }
  // Prepares the chunk from `begin` on of all row blocks.
  void prepare_chunk(int64_t begin) {
    if (!along_rows_) words_ ? pack_words(begin) : pack(begin);
  }
  // Prepares the chunk from `begin` on of one row block.
  void prepare_block(int64_t begin, int64_t block) {
    if (!rounds_) return;
    const IndexRange rows = rows_.part(block, row_blocks_);
    for (int64_t r = rows.from; r < rows.to; ++r)
      pair(p_.a.data + r * p_.a.row + begin, std::min(chunk_length, p_.k - begin),
           memory_ + (r - rows.from) * rounded_step);
  }

  // Returns row block number `block`, which are the rows `rows`, from `begin` on. Valid until the next prepare_...().
  View of(IndexRange rows, int64_t block, int64_t begin) const {
    if (!along_rows_) return {memory_ + block * block_step, 1, rows.size()};
    if (!rounds_) return {p_.a.data + rows.from * p_.a.row + begin, p_.a.row, 1};
    if (!whole_) return {memory_, rounded_step, 1};
    return {rounded_.data() + (rows.from - rows_.from) * rounded_row() + (words_ ? begin / 2 : begin), rounded_row(),
            1};
  }

 private:
  // Returns the distance in floats of rows in `rounded_`.
  int64_t rounded_row() const { return (p_.k + 2 * Packed::width) / Packed::width * Packed::width; }
  // Rounds k numbers of a row and takes them in pairs.
  void pair(const float* from, int64_t k, float* to) const {
    words_ ? pair_row<true>(from, k, to) : pair_row<false>(from, k, to);
  }
  // Returns column i of A, which is contiguous, from the first of the rows on.
  const float* row(int64_t i) const { return row_of(p_, p_.a, p_.a.column, i, rows_.from); }

  // Packs a chunk of contiguous columns as float32, or as bfloat16 pairs of floats.
  void pack(int64_t begin) {
    const bool swaps = p_.pairs();
    const int64_t k = std::min(chunk_length, p_.k - begin), even = swaps ? k + k % 2 : k;
    for (int64_t j = 0; j < even; ++j) {
      const int64_t place = swaps ? j ^ 1 : j;
      const float* from = row(begin + j);
      for (int64_t i = 0; i < rows_.size(); i += 16) prefetch(from + 2 * p_.a.column + i);
      for (int64_t i = 0; i < row_blocks_; ++i) {
        const IndexRange rows = rows_.part(i, row_blocks_);
        float* to = memory_ + i * block_step + place * rows.size();
        if (rows.size() == most_packed_rows) {
          std::memcpy(to, from, most_packed_rows * sizeof(float));
        } else {
          std::memcpy(to, from, static_cast<size_t>(rows.size()) * sizeof(float));
        }
        from += rows.size();
      }
    }
    for (int64_t i = 0; swaps && i < row_blocks_; ++i)
      round_in_place(memory_ + i * block_step, even * rows_.part(i, row_blocks_).size());
  }

  // Packs a chunk of contiguous columns as bfloat16 pairs in words.
  void pack_words(int64_t begin) {
    for (int64_t j = 0; j < std::min(chunk_length, p_.k - begin); j += 2) {
      const float *earlier = row(begin + j), *later = row(begin + j + 1);
      for (int64_t i = 0; i < rows_.size(); i += 16)
        prefetch(earlier + 2 * p_.a.column + i), prefetch(later + 2 * p_.a.column + i);
      for (int64_t i = 0; i < row_blocks_; ++i) {
        const IndexRange rows = rows_.part(i, row_blocks_);
        const int64_t at = rows.from - rows_.from;
        pair_rows_as_words(earlier + at, later + at, rows.size(), memory_ + i * block_step + j / 2 * rows.size());
      }
    }
  }

  const MatrixProduct& p_;
  IndexRange rows_;     // rows of A
  int64_t row_blocks_;  // number of parts of `rows_`
  bool along_rows_;     // the rows of A are contiguous
  bool words_;          // bfloat16 pairs as words, not floats
  bool rounds_;         // contiguous rows are copied and rounded
  bool whole_;          // all chunks are prepared at once, by prepare_all()
  // Memory of each thread: row blocks of one chunk; rows with all chunks, in bfloat16 pairs.
  static thread_local float memory_[(row_count / most_packed_rows + 1) * block_step];
  static thread_local std::vector<float> rounded_;
};
thread_local std::vector<float> LeftRows::rounded_;
alignas(64) thread_local float LeftRows::memory_[(row_count / most_packed_rows + 1) * block_step];

// The right factor: the panels `panels` of B, packed for one chunk at a time. For an unpacked matrix, the transpose of
// a packed matrix, or a packed matrix whose numbers must be widened to float32.
class RepackedPanels {
 public:
  RepackedPanels(const MatrixProduct& product, IndexRange panels)
      : p_(product), panels_(panels), words_(in_words(product)) {}

  // Packs the chunk that begins at index `begin` along k, as float32 or as bfloat16 pairs.
  void prepare(int64_t begin) {
    const int64_t k = std::min(chunk_length, p_.k - begin);
    if (p_.transposed) {
      transpose(begin, k);
    } else if (p_.b.packed) {
      for (int64_t p = panels_.from; p < panels_.to; ++p) widened(p, begin, k, at(p));
    } else if (p_.b.unpacked.column != 1) {
      transpose_columns(begin, k);
    } else {
      words_ ? pair(begin, k) : copy(begin, k);
    }
    for (int64_t p = panels_.from; p_.pairs() && !words_ && p < panels_.to; ++p) {
      float* row = at(p);
      if (k % 2 != 0) std::fill_n(row + k * Packed::width, Packed::width, 0.0f);
      for (int64_t i = 0; i < k; i += 2, row += 2 * Packed::width) swap_rows(row, row + Packed::width, Packed::width);
    }
  }

  // Returns a panel of the packed chunk: [k][16] floats, or [k / 2][16] words. Valid until the next prepare().
  float* at(int64_t panel) const { return memory_ + (panel - panels_.from) * panel_step; }

 private:
  // The functions below pack k indices from `begin` on.

  // Returns row i of an unpacked B with contiguous rows, from the first of the panels on.
  const float* row(int64_t i) const {
    return row_of(p_, p_.b.unpacked, p_.b.unpacked.row, i, panels_.from * Packed::width);
  }

  // Packs a matrix whose rows are contiguous as bfloat16 pairs in words.
  void pair(int64_t begin, int64_t k) {
    for (int64_t i = 0; i < k; i += 2) {
      const float *earlier = row(begin + i), *later = row(begin + i + 1);
      float* to = memory_ + i / 2 * Packed::width;
      for (int64_t p = panels_.from; p < panels_.to; ++p, to += panel_step) {
        const int64_t at = (p - panels_.from) * Packed::width,
                      columns = std::min(Packed::width, p_.n - p * Packed::width);
        prefetch(earlier + 2 * p_.b.unpacked.row + at), prefetch(later + 2 * p_.b.unpacked.row + at);
        pair_rows_as_words(earlier + at, later + at, columns, to);
      }
    }
  }

  // Packs a matrix whose rows are contiguous as float32.
  void copy(int64_t begin, int64_t k) {
    const Tag tag;
    const int64_t whole = std::min(panels_.to, p_.n / Packed::width);
    for (int64_t i = 0; i < k; ++i) {
      float* to = memory_ + i * Packed::width;
      const float* from = row(begin + i);
      for (int64_t p = panels_.from; p < panels_.to; ++p)
        prefetch(from + 2 * p_.b.unpacked.row + (p - panels_.from) * Packed::width);
      for (int64_t p = panels_.from; p < whole; ++p, from += Packed::width, to += panel_step) {
        for (int v = 0; v < lane_vectors; ++v)
          hn::StoreU(hn::LoadU(tag, from + v * lane_count), tag, to + v * lane_count);
      }
      if (whole < panels_.to) std::copy_n(from, p_.n % Packed::width, to);
    }
  }

  // Packs a matrix whose columns are contiguous.
  void transpose_columns(int64_t begin, int64_t k) {
    for (int64_t p = panels_.from; p < panels_.to; ++p) {
      const int64_t first = p * Packed::width, columns = std::min(Packed::width, p_.n - first);
      const float* in[Packed::width];
      for (int64_t j = 0; j < columns; ++j) in[j] = p_.b.unpacked.data + (first + j) * p_.b.unpacked.column + begin;
      words_ ? transpose_panel_to_words(in, columns, k, at(p)) : transpose_panel(in, columns, k, at(p));
    }
  }

  // Writes rows [begin, begin + rows) of a panel of a packed matrix, widened to float32, to `to` [rows][16].
  void widened(int64_t panel, int64_t begin, int64_t rows, float* to) const {
    switch (p_.b.format) {
      case Format::float32:
        break;  // tiles read it directly
      case Format::bfloat16:
      case Format::bfloat16_pairs:
        return widen<Format::bfloat16>(*p_.b.packed, panel, begin, rows, to);
      case Format::q8_0:
        return widen<Format::q8_0>(*p_.b.packed, panel, begin, rows, to);
      case Format::q4_0:
        return widen<Format::q4_0>(*p_.b.packed, panel, begin, rows, to);
    }
  }

  // Packs the transpose of a packed matrix, by transposing squares of its panels. Padding of the last panel is not
  // read.
  void transpose(int64_t begin, int64_t k) {
    constexpr int64_t side = Packed::width;
    alignas(64) float square[side * side], turned[side * side];
    for (int64_t i = 0; i < k; i += side) {
      const int64_t panel = (p_.first + begin + i) / side, rows = std::min(side, k - i);
      for (int64_t p = panels_.from; p < panels_.to; ++p) {
        float* to = words_ ? turned : at(p) + i * side;
        const int64_t columns = std::min(side, p_.n - p * side);
        const float* from = square;
        if (p_.b.format == Format::float32) {
          from = static_cast<const float*>(p_.b.packed->panel(panel, p * side));
        } else {
          widened(panel, p * side, columns, square);
        }
        const float* in[side];
        for (int64_t j = 0; j < columns; ++j) in[j] = from + j * side;
        transpose_rows(in, columns, rows, to);
        if (!words_) continue;
        pair_square(
            turned, rows, [](Vector a, Vector b) HWY_ATTR { return words_of(a, b); }, at(p) + i / 2 * side);
      }
    }
  }

  const MatrixProduct& p_;
  IndexRange panels_;                                     // indices of panels of B
  bool words_;                                            // bfloat16 pairs as words, not floats
  static thread_local float memory_[strip * panel_step];  // this thread's packed chunk
};
alignas(64) thread_local float RepackedPanels::memory_[strip * panel_step];

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
