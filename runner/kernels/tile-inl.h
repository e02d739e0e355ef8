// Register tiles of products C = A B: blocks of C, R rows by P panels of 16 columns, that are computed in registers,
// over at most one chunk (256 elements) of k. B is packed. Included once for each instruction set (Highway's
// foreach_target), hence the unusual guard.
#include <hwy/cache_control.h>

#include "kernels/packed.h"

#if defined(COMPEER_KERNELS_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COMPEER_KERNELS_TILE_INL_H
#undef COMPEER_KERNELS_TILE_INL_H
#else
#define COMPEER_KERNELS_TILE_INL_H
#endif

#include "kernels/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

// The operands of a tile: R rows of A and P panels of B, over one chunk of k.
struct Chunk {
  View a;                           // A, from the first row of the tile and the first element of the chunk on
  const void* w;                    // the first panel of B, from the first element of the chunk on
  int64_t panel;                    // distance of panels, in units of 4 bytes
  int64_t k;                        // elements of the chunk, at most 256; for words, number of pairs
  const float* bias;                // start of the chains; null: zero
  bool add;                         // add the chains to C
  bool continue_chain;              // start the chains from C
  const char* prefetch_from;        // if B is streamed from memory: address of the first panel's data to prefetch
  int64_t prefetch_bytes_per_step;  // bytes of each panel to prefetch per step of k
};

// Access to R rows of A: at(r, i) returns element i of row r. If the rows are contiguous (`a_along_rows`), there is one
// pointer per row and a common index; if the columns are, one pointer for all rows.
template <int R, bool a_along_rows>
struct Left {
  explicit Left(View a) : step(a.column) {
    HWY_UNROLL(16) for (int r = 0; r < R; ++r) row[r] = a.data + (a_along_rows ? r * a.row : r);
  }
  HWY_INLINE float at(int r, int64_t i) const { return a_along_rows ? row[r][i] : row[0][i * step + r]; }
  const float* row[R];  // address of element 0 of each row
  int64_t step;         // distance of columns in floats
};

// Prefetches the cache line at an address for reading.
HWY_INLINE void prefetch(const void* line) { hwy::Prefetch(line); }
constexpr int64_t ahead = 8 * Packed::width;  // prefetch distance in floats for B in the second-level cache

// A block of a panel in q8_0 or q4_0: the scales of 16 columns, then rows of bytes. 4-bit integers are first expanded
// to bytes of 16 times their value, and the scale is divided by 16. This is exact, as is the product of integer and
// scale.
template <Format block_format>
struct PackedBlock {
  // Rows of a block; its size in 4-byte words and in cache lines.
  static constexpr int64_t row_count = 32, word_count = panel_block(block_format).bytes / 4,
                           line_count = (word_count + 15) / 16;
  using Bytes = hn::Rebind<int8_t, Tag>;  // descriptor of a vector of `lane_count` bytes

  // Returns the scales of the columns [part * lane_count, (part + 1) * lane_count).
  static HWY_INLINE Vector scale(const float* block, int part) {
    const Tag tag;
    const auto* from = reinterpret_cast<const hwy::float16_t*>(block) + part * lane_count;
    const auto scale = hn::PromoteTo(tag, hn::LoadU(hn::Rebind<hwy::float16_t, Tag>(), from));
    return block_format == Format::q8_0 ? scale : hn::Mul(scale, hn::Set(tag, 1.0f / 16));
  }
  // Returns the address of the integers of a block: [32][16] bytes, or [16][16] for q4_0.
  static HWY_INLINE const int8_t* bytes(const float* block) { return reinterpret_cast<const int8_t*>(block + 8); }
  // Expands 4-bit integers: [16][16] bytes with two integers each -> [32][16] bytes of 16 times their value.
  static HWY_INLINE void spread(const int8_t* halves, int8_t* to) {
    const hn::CappedTag<int8_t, 64> tag;
    const hn::RebindToUnsigned<hn::Repartition<int16_t, decltype(tag)>> words;
    const auto upper = hn::Set(tag, static_cast<int8_t>(0xf0));
    constexpr int64_t half_block = row_count / 2 * Packed::width;
    for (int64_t i = 0; i < half_block; i += static_cast<int64_t>(hn::Lanes(tag))) {
      const auto both = hn::LoadU(tag, halves + i);
      hn::StoreU(hn::And(hn::BitCast(tag, hn::ShiftLeft<4>(hn::BitCast(words, both))), upper), tag, to + i);
      hn::StoreU(hn::And(both, upper), tag, to + half_block + i);
    }
  }
  // Returns `lane_count` integers of one row times the scales of their columns, as float32.
  static HWY_INLINE Vector widened(const int8_t* bytes, Vector scale) {
    const Tag tag;
    const auto integers = hn::PromoteTo(hn::RebindToSigned<Tag>(), hn::LoadU(Bytes(), bytes));
    return hn::Mul(hn::ConvertTo(tag, integers), scale);
  }
};

// Format in which a tile reads B. The first four are the formats of Packed, which are widened to float32.
enum class RightFactor {
  float32,
  bfloat16,
  q8_0,
  q4_0,
  swapped,  // bfloat16 pairs as 32-bit words, while A has pairs of floats, the later element first
  words     // bfloat16 pairs as 32-bit words, in A as well
};
// Returns the block format of q8_0 or q4_0; meaningless for others.
constexpr Format format_of(RightFactor reads) { return reads == RightFactor::q4_0 ? Format::q4_0 : Format::q8_0; }

// Computes a tile of C at `c`, with rows at a distance of `c_row` floats. `a_along_rows`: the rows of A are contiguous,
// otherwise its columns are. `streams_b`: prefetch B from memory. Plain arrays and loops with constant bounds, because
// g++ keeps only these in registers.
template <int R, int P, bool a_along_rows, bool streams_b, RightFactor right_factor>
void tile(const Chunk& chunk, float* c, int64_t c_row) {
  constexpr int V = P * lane_vectors;
  const Tag tag;
  const hn::RebindToUnsigned<Tag> bits;
  Vector sum[R][V];
  HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
      sum[r][v] = chunk.continue_chain ? hn::LoadU(tag, c + r * c_row + v * lane_count)
                  : chunk.bias         ? hn::LoadU(tag, chunk.bias + v * lane_count)
                                       : hn::Zero(tag);
    }
  }
  // C is read and written at the end of the chunk.
  HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(16) for (int p = 0; p < P; ++p) prefetch(c + r * c_row + p * Packed::width);
  }
  const Left<R, a_along_rows> left(chunk.a);
  const float* w = static_cast<const float*>(chunk.w);
  const char* soon = chunk.prefetch_from;
  const int64_t k = chunk.k, panel = chunk.panel, pace = chunk.prefetch_bytes_per_step;
  const auto fetch = [&](int64_t line = 0) HWY_ATTR {
    HWY_UNROLL(16) for (int p = 0; p < P; ++p) {
      prefetch(w + p * panel + line * Packed::width + ahead);
      if (streams_b) prefetch(soon + p * panel * 4);
    }
    soon += pace;
  };
  if constexpr (right_factor == RightFactor::float32 || right_factor == RightFactor::words) {
    for (int64_t i = 0; i < k; ++i, w += Packed::width) {
      Vector right[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
        right[v] = hn::LoadU(tag, w + (v / lane_vectors) * panel + (v % lane_vectors) * lane_count);
      }
      fetch();
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
          sum[r][v] = right_factor == RightFactor::words ? add_pair(x, right[v], sum[r][v])
                                                         : hn::MulAdd(x, right[v], sum[r][v]);
        }
      }
    }
  } else if constexpr (right_factor == RightFactor::q8_0 || right_factor == RightFactor::q4_0) {
    using B = PackedBlock<format_of(right_factor)>;
    alignas(64) int8_t wide[right_factor == RightFactor::q4_0 ? P : 1][B::row_count * Packed::width];
    for (int64_t i = 0; i < k; w += B::word_count) {
      Vector scale[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) scale[v] = B::scale(w + (v / lane_vectors) * panel, v % lane_vectors);
      const int8_t* bytes = B::bytes(w);
      int64_t step = panel * 4;
      if constexpr (right_factor == RightFactor::q4_0) {
        for (int p = 0; p < P; ++p) B::spread(B::bytes(w + p * panel), wide[p]);
        bytes = wide[0], step = sizeof wide[0];
      }
      const int64_t end = std::min(k, i + B::row_count);
      if constexpr (B::line_count > 8) fetch(B::line_count - 1);  // the loop below fetches 8 lines, one per four rows
      for (int64_t line = 0; i < end; ++line) {
        if (line < B::line_count) fetch(line);
        HWY_UNROLL(4) for (int b = 0; b < 4; ++b, bytes += Packed::width) {
          const auto widened = [&](int v) HWY_ATTR {
            return B::widened(bytes + (v / lane_vectors) * step + (v % lane_vectors) * lane_count, scale[v]);
          };
          if constexpr (R <= 4) {  // keep the elements of A in registers, otherwise those of B
            Vector x[R];
            HWY_UNROLL(16) for (int r = 0; r < R; ++r) x[r] = hn::Set(tag, left.at(r, i));
            HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
              const Vector right = widened(v);
              HWY_UNROLL(16) for (int r = 0; r < R; ++r) sum[r][v] = hn::MulAdd(x[r], right, sum[r][v]);
            }
          } else {
            Vector right[V];
            HWY_UNROLL(16) for (int v = 0; v < V; ++v) right[v] = widened(v);
            HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
              const Vector x = hn::Set(tag, left.at(r, i));
              HWY_UNROLL(16) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
            }
          }
          if (++i == end) break;
        }
      }
    }
  } else {
    const auto upper = hn::Set(bits, 0xffff0000u);
    const auto half = [&](auto pair, bool later)
                          HWY_ATTR { return hn::BitCast(tag, later ? hn::And(pair, upper) : hn::ShiftLeft<16>(pair)); };
    constexpr bool is_swapped = right_factor == RightFactor::swapped;
    for (int64_t i = 0; i < k; i += 2, w += Packed::width) {
      hn::Vec<decltype(bits)> pair[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
        pair[v] = hn::BitCast(bits, hn::LoadU(tag, w + (v / lane_vectors) * panel + (v % lane_vectors) * lane_count));
      }
      fetch();
      Vector right[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) right[v] = half(pair[v], is_swapped);
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
      }
      if (i + 1 == k) break;
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) right[v] = half(pair[v], !is_swapped);
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i + 1));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
      }
    }
  }
  HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
      float* to = c + r * c_row + v * lane_count;
      hn::StoreU(chunk.add ? hn::Add(hn::LoadU(tag, to), sum[r][v]) : sum[r][v], tag, to);
    }
  }
}

// Type of `tile`, with its arguments.
using Tile = void (*)(const Chunk&, float*, int64_t);

// Widens rows [begin, begin + rows) of panel number `panel` to float32 and writes them to `to` [rows][16]. `begin` is a
// multiple of 16. From bfloat16, an even number of rows is written.
template <Format block_format>
void widen(const Packed& packed, int64_t panel, int64_t begin, int64_t rows, float* to) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> bits;
  if constexpr (in_bfloat16(block_format)) {
    const auto* from = static_cast<const float*>(packed.panel(panel, begin));
    for (int64_t i = 0; i < rows; i += 2, from += Packed::width, to += 2 * Packed::width) {
      for (int v = 0; v < lane_vectors; ++v) {
        const auto pair = hn::BitCast(bits, hn::LoadU(tag, from + v * lane_count));
        hn::StoreU(hn::BitCast(tag, hn::ShiftLeft<16>(pair)), tag, to + v * lane_count);
        hn::StoreU(hn::BitCast(tag, hn::And(pair, hn::Set(bits, 0xffff0000u))), tag,
                   to + Packed::width + v * lane_count);
      }
    }
  } else {
    using B = PackedBlock<block_format>;
    alignas(64) int8_t wide[B::row_count * Packed::width];
    for (int64_t i = begin; i < begin + rows;) {
      const auto* block = static_cast<const float*>(packed.panel(panel, i));
      const int8_t* bytes = B::bytes(block);
      if constexpr (block_format == Format::q4_0) B::spread(bytes, wide), bytes = wide;
      Vector scale[lane_vectors];
      for (int v = 0; v < lane_vectors; ++v) scale[v] = B::scale(block, v);
      bytes += i % B::row_count * Packed::width;
      const int64_t end = std::min(begin + rows, i / B::row_count * B::row_count + B::row_count);
      for (; i < end; ++i, bytes += Packed::width, to += Packed::width) {
        for (int v = 0; v < lane_vectors; ++v)
          hn::StoreU(B::widened(bytes + v * lane_count, scale[v]), tag, to + v * lane_count);
      }
    }
  }
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
