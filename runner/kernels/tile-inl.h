// The register tiles of products: R rows by P panels of 16 columns, over one chunk of k at most.
// Included once for each instruction set (Highway's foreach_target), hence the unusual guard.
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

// What a tile multiplies: rows of A from `a` on, with panels of B at w, w + panel, ...
struct Chunk {
  View a;
  const void* w;
  int64_t panel;      // distance of panels, in words of 4 bytes
  int64_t k;          // 256 at most
  const float* bias;  // starts the chains; null: zero
  bool add;           // to what is in C
  bool go_on;         // chains start from what is in C
  const char* soon;   // where B streams: what to fetch of it meanwhile, a line of each panel in ...
  int64_t pace;       // ... so many bytes of each step of k
};

// Row r's element i. Where a row's elements are neighbours, one pointer a row and a common index address them all;
// where a column's are, one pointer does.
template <int R, bool kRows>
struct Left {
  explicit Left(View a) : step(a.column) {
    HWY_UNROLL(16) for (int r = 0; r < R; ++r) row[r] = a.data + (kRows ? r * a.row : r);
  }
  HWY_INLINE float at(int r, int64_t i) const { return kRows ? row[r][i] : row[0][i * step + r]; }
  const float* row[R];
  int64_t step;
};

HWY_INLINE void prefetch(const void* line) { hwy::Prefetch(line); }
constexpr int64_t kAhead = 8 * Packed::width;  // of B, which lies in the second-level cache

// A panel's block in 8 or 4 bits: each column's scale, then rows of bytes. Integers of 4 bits are spread first, into 16
// times themselves, which the scale takes off again. All of it is exact, as is the product of integer and scale.
template <Format kFormat>
struct PackedBlock {
  static constexpr int64_t kRows = 32, kWords = panel_block(kFormat).bytes / 4, kLines = (kWords + 15) / 16;
  using Bytes = hn::Rebind<int8_t, Tag>;

  // Of the columns of vector `part`.
  static HWY_INLINE Vector scale(const float* block, int part) {
    const Tag tag;
    const auto* from = reinterpret_cast<const hwy::float16_t*>(block) + part * kLanes;
    const auto scale = hn::PromoteTo(tag, hn::LoadU(hn::Rebind<hwy::float16_t, Tag>(), from));
    return kFormat == Format::q8_0 ? scale : hn::Mul(scale, hn::Set(tag, 1.0f / 16));
  }
  static HWY_INLINE const int8_t* bytes(const float* block) { return reinterpret_cast<const int8_t*>(block + 8); }
  // [16][16] -> [32][16]
  static HWY_INLINE void spread(const int8_t* halves, int8_t* to) {
    const hn::CappedTag<int8_t, 64> tag;
    const hn::RebindToUnsigned<hn::Repartition<int16_t, decltype(tag)>> words;
    const auto upper = hn::Set(tag, static_cast<int8_t>(0xf0));
    constexpr int64_t kHalf = kRows / 2 * Packed::width;
    for (int64_t i = 0; i < kHalf; i += static_cast<int64_t>(hn::Lanes(tag))) {
      const auto both = hn::LoadU(tag, halves + i);
      hn::StoreU(hn::And(hn::BitCast(tag, hn::ShiftLeft<4>(hn::BitCast(words, both))), upper), tag, to + i);
      hn::StoreU(hn::And(both, upper), tag, to + kHalf + i);
    }
  }
  static HWY_INLINE Vector widened(const int8_t* bytes, Vector scale) {
    const Tag tag;
    const auto integers = hn::PromoteTo(hn::RebindToSigned<Tag>(), hn::LoadU(Bytes(), bytes));
    return hn::Mul(hn::ConvertTo(tag, integers), scale);
  }
};

// What a tile reads of B: a format as it is kept, or of bfloat16 pairs their words, which A then holds too. `swapped`
// are the words of pairs where A has floats, of which the later of a pair comes first.
enum class RightFactor { float32, bfloat16, q8_0, q4_0, swapped, words };
constexpr Format format_of(RightFactor reads) { return reads == RightFactor::q4_0 ? Format::q4_0 : Format::q8_0; }

// Plain arrays and loops with constant bounds: g++ keeps them in registers, which it does not for anything cleverer.
template <int R, int P, bool kRows, bool kStreams, RightFactor kRight>
void tile(const Chunk& chunk, float* c, int64_t c_row) {
  constexpr int V = P * kParts;
  const Tag tag;
  const hn::RebindToUnsigned<Tag> bits;
  Vector sum[R][V];
  HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
      sum[r][v] = chunk.go_on  ? hn::LoadU(tag, c + r * c_row + v * kLanes)
                  : chunk.bias ? hn::LoadU(tag, chunk.bias + v * kLanes)
                               : hn::Zero(tag);
    }
  }
  // C is needed when the chunk is done.
  HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(16) for (int p = 0; p < P; ++p) prefetch(c + r * c_row + p * Packed::width);
  }
  const Left<R, kRows> left(chunk.a);
  const float* w = static_cast<const float*>(chunk.w);
  const char* soon = chunk.soon;
  const int64_t k = chunk.k, panel = chunk.panel, pace = chunk.pace;
  const auto fetch = [&](int64_t line = 0) HWY_ATTR {
    HWY_UNROLL(16) for (int p = 0; p < P; ++p) {
      prefetch(w + p * panel + line * Packed::width + kAhead);
      if (kStreams) prefetch(soon + p * panel * 4);
    }
    soon += pace;
  };
  if constexpr (kRight == RightFactor::float32 || kRight == RightFactor::words) {
    for (int64_t i = 0; i < k; ++i, w += Packed::width) {
      Vector right[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
        right[v] = hn::LoadU(tag, w + (v / kParts) * panel + (v % kParts) * kLanes);
      }
      fetch();
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
          sum[r][v] =
              kRight == RightFactor::words ? add_pair(x, right[v], sum[r][v]) : hn::MulAdd(x, right[v], sum[r][v]);
        }
      }
    }
  } else if constexpr (kRight == RightFactor::q8_0 || kRight == RightFactor::q4_0) {
    using B = PackedBlock<format_of(kRight)>;
    alignas(64) int8_t wide[kRight == RightFactor::q4_0 ? P : 1][B::kRows * Packed::width];
    for (int64_t i = 0; i < k; w += B::kWords) {
      Vector scale[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) scale[v] = B::scale(w + (v / kParts) * panel, v % kParts);
      const int8_t* bytes = B::bytes(w);
      int64_t step = panel * 4;
      if constexpr (kRight == RightFactor::q4_0) {
        for (int p = 0; p < P; ++p) B::spread(B::bytes(w + p * panel), wide[p]);
        bytes = wide[0], step = sizeof wide[0];
      }
      const int64_t end = std::min(k, i + B::kRows);
      if constexpr (B::kLines > 8) fetch(B::kLines - 1);  // below, four rows fetch one
      for (int64_t line = 0; i < end; ++line) {
        if (line < B::kLines) fetch(line);
        HWY_UNROLL(4) for (int b = 0; b < 4; ++b, bytes += Packed::width) {
          const auto widened = [&](int v) HWY_ATTR {
            return B::widened(bytes + (v / kParts) * step + (v % kParts) * kLanes, scale[v]);
          };
          if constexpr (R <= 4) {  // all registers hold sums, or elements of A
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
    constexpr bool kSwapped = kRight == RightFactor::swapped;
    for (int64_t i = 0; i < k; i += 2, w += Packed::width) {
      hn::Vec<decltype(bits)> pair[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
        pair[v] = hn::BitCast(bits, hn::LoadU(tag, w + (v / kParts) * panel + (v % kParts) * kLanes));
      }
      fetch();
      Vector right[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) right[v] = half(pair[v], kSwapped);
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
      }
      if (i + 1 == k) break;
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) right[v] = half(pair[v], !kSwapped);
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i + 1));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
      }
    }
  }
  HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
      float* to = c + r * c_row + v * kLanes;
      hn::StoreU(chunk.add ? hn::Add(hn::LoadU(tag, to), sum[r][v]) : sum[r][v], tag, to);
    }
  }
}

using Tile = void (*)(const Chunk&, float*, int64_t);

// Rows [begin, begin + rows) of a panel in float32 (in bfloat16, an even number of them); `begin` is a multiple of 16.
template <Format kFormat>
void widen(const Packed& packed, int64_t panel, int64_t begin, int64_t rows, float* to) {
  const Tag tag;
  const hn::RebindToUnsigned<Tag> bits;
  if constexpr (in_bfloat16(kFormat)) {
    const auto* from = static_cast<const float*>(packed.panel(panel, begin));
    for (int64_t i = 0; i < rows; i += 2, from += Packed::width, to += 2 * Packed::width) {
      for (int v = 0; v < kParts; ++v) {
        const auto pair = hn::BitCast(bits, hn::LoadU(tag, from + v * kLanes));
        hn::StoreU(hn::BitCast(tag, hn::ShiftLeft<16>(pair)), tag, to + v * kLanes);
        hn::StoreU(hn::BitCast(tag, hn::And(pair, hn::Set(bits, 0xffff0000u))), tag, to + Packed::width + v * kLanes);
      }
    }
  } else {
    using B = PackedBlock<kFormat>;
    alignas(64) int8_t wide[B::kRows * Packed::width];
    for (int64_t i = begin; i < begin + rows;) {
      const auto* block = static_cast<const float*>(packed.panel(panel, i));
      const int8_t* bytes = B::bytes(block);
      if constexpr (kFormat == Format::q4_0) B::spread(bytes, wide), bytes = wide;
      Vector scale[kParts];
      for (int v = 0; v < kParts; ++v) scale[v] = B::scale(block, v);
      bytes += i % B::kRows * Packed::width;
      const int64_t end = std::min(begin + rows, i / B::kRows * B::kRows + B::kRows);
      for (; i < end; ++i, bytes += Packed::width, to += Packed::width) {
        for (int v = 0; v < kParts; ++v) hn::StoreU(B::widened(bytes + v * kLanes, scale[v]), tag, to + v * kLanes);
      }
    }
  }
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
