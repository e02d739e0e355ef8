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

#include "kernels/lanes-inl.h"

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

// Plain arrays and loops with constant bounds: g++ keeps them in registers, which it does not for anything cleverer.
template <int R, int P, bool kRows, bool kStreams, Format kFormat>
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
  const auto fetch = [&]() HWY_ATTR {
    HWY_UNROLL(16) for (int p = 0; p < P; ++p) {
      prefetch(w + p * panel + kAhead);
      if (kStreams) prefetch(soon + p * panel * 4);
    }
    soon += pace;
  };
  if constexpr (kFormat == Format::float32) {
    for (int64_t i = 0; i < k; ++i, w += Packed::width) {
      Vector right[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
        right[v] = hn::LoadU(tag, w + (v / kParts) * panel + (v % kParts) * kLanes);
      }
      fetch();
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
      }
    }
  } else {
    const auto upper = hn::Set(bits, 0xffff0000u);
    for (int64_t i = 0; i < k; i += 2, w += Packed::width) {
      hn::Vec<decltype(bits)> pair[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) {
        pair[v] = hn::BitCast(bits, hn::LoadU(tag, w + (v / kParts) * panel + (v % kParts) * kLanes));
      }
      fetch();
      Vector right[V];
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) right[v] = hn::BitCast(tag, hn::ShiftLeft<16>(pair[v]));
      HWY_UNROLL(16) for (int r = 0; r < R; ++r) {
        const Vector x = hn::Set(tag, left.at(r, i));
        HWY_UNROLL(16) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
      }
      if (i + 1 == k) break;
      HWY_UNROLL(16) for (int v = 0; v < V; ++v) right[v] = hn::BitCast(tag, hn::And(pair[v], upper));
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

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
