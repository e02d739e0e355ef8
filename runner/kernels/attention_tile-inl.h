// Products of up to six rows with pages of 16 positions, the building blocks of attention and its gradients. Every
// element is one chain of fused multiply-adds, so the shape of tiles and vectors does not change the bits. A tile is a
// block of the result that is computed in registers: R rows by P pages, or by V vectors of `lane_count` floats. The
// parameters a_row, p_row and c_row are the distances of rows of a, p and c in floats.
// Included once for each instruction set (Highway's foreach_target), hence the unusual guard.
#include "kernels/attention.h"

#if defined(COMPEER_KERNELS_ATTENTION_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef COMPEER_KERNELS_ATTENTION_TILE_INL_H
#undef COMPEER_KERNELS_ATTENTION_TILE_INL_H
#else
#define COMPEER_KERNELS_ATTENTION_TILE_INL_H
#endif

#include "kernels/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

constexpr int tile_size = 6;  // maximum rows of a tile

// Returns the number of vectors side by side in a tile of R rows: enough independent sums, all of them in registers.
constexpr int wide(int rows) {
  if (lane_count == 16) return 4;
  return rows == 1 ? 8 : rows <= 3 ? 4 : 2;
}

// Operand format of the products.
enum class OperandFormat {
  floats,  // float32 in rows and pages
  pairs,   // a page element is a 32-bit word with two bfloat16 numbers; rows hold each pair as two floats, the later
           // first
  words    // a 32-bit word with two bfloat16 numbers in rows and pages
};

// sum[r][v] += dot product of one bfloat16 pair of row r and the pairs right[v] of one vector of a page. left(r, half)
// returns the row's operand. For words, left(r, 0) is the word of the row. For pairs, left(r, 0) * upper half of
// right[v] (the later element) is added first, then left(r, 1) * lower half: the order of the instruction vdpbf16ps, so
// that the bits are the same.
template <OperandFormat takes_as, int R, int V, class Left>
HWY_INLINE void add_words(const Vector (&right)[V], Left left, Vector (&sum)[R][V]) {
  const Tag tag;
  if constexpr (takes_as == OperandFormat::words) {
    HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
      const Vector x = hn::Set(tag, left(r, 0));
      HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = add_pair(x, right[v], sum[r][v]);
    }
  } else {
    const WordTag words;
    Vector half[V];
    HWY_UNROLL(8) for (int v = 0; v < V; ++v) {
      half[v] = hn::BitCast(tag, hn::And(hn::BitCast(words, right[v]), hn::Set(words, 0xffff0000u)));
    }
    HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
      const Vector x = hn::Set(tag, left(r, 0));
      HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, half[v], sum[r][v]);
    }
    HWY_UNROLL(8)
    for (int v = 0; v < V; ++v) half[v] = hn::BitCast(tag, hn::ShiftLeft<16>(hn::BitCast(words, right[v])));
    HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
      const Vector x = hn::Set(tag, left(r, 1));
      HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(x, half[v], sum[r][v]);
    }
  }
}

// Scores of queries: c [R, 16 P] = a [R, dim] times the keys [dim][16] of P pages: a chain over dim.
template <int R, int P, OperandFormat takes_as>
HWY_INLINE void score_pages(const float* a, int64_t a_row, const Page* pages, int64_t dim, float* c, int64_t c_row) {
  constexpr int V = P * lane_vectors;
  const Tag tag;
  Vector sum[R][V];
  HWY_UNROLL(8) for (int r = 0; r < R; ++r) { HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = hn::Zero(tag); }
  const float* key[P];
  HWY_UNROLL(8) for (int p = 0; p < P; ++p) key[p] = pages[p].keys;
  for (int64_t i = 0; i < (takes_as == OperandFormat::floats ? dim : dim / 2); ++i) {
    Vector right[V];
    HWY_UNROLL(8) for (int v = 0; v < V; ++v) {
      right[v] = hn::LoadU(tag, key[v / lane_vectors] + i * 16 + (v % lane_vectors) * lane_count);
    }
    if constexpr (takes_as != OperandFormat::floats) {
      const int64_t at = takes_as == OperandFormat::words ? i : 2 * i;
      add_words<takes_as>(
          right, [&](int r, int64_t half) HWY_ATTR { return a[r * a_row + at + half]; }, sum);
      continue;
    }
    HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
      const Vector left = hn::Set(tag, a[r * a_row + i]);
      HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
    }
  }
  HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(8) for (int v = 0; v < V; ++v) hn::StoreU(sum[r][v], tag, c + r * c_row + v * lane_count);
  }
}

// The same for `count` pages: c [R, 16 count].
template <int R, OperandFormat takes_as>
void score(const float* a, int64_t a_row, const Page* pages, int64_t count, int64_t dim, float* c, int64_t c_row) {
  constexpr int P = wide(R) / lane_vectors;
  int64_t p = 0;
  for (; p + P <= count; p += P) score_pages<R, P, takes_as>(a, a_row, pages + p, dim, c + p * 16, c_row);
  for (; p < count; ++p) score_pages<R, 1, takes_as>(a, a_row, pages + p, dim, c + p * 16, c_row);
}

// Weighted sums of values: c[r, column + i] = factor[r] * sum over j of p[r, j] * value[j, column + i], for the V
// vectors of columns from `column` on: a chain over the positions j < `positions` in the pages' values [16][dim]. p:
// the probabilities of R rows. If `continue_chain`, the chain starts from c. `n`: lanes of the vector if V is 1, for
// the last columns; ignored otherwise.
template <int R, int V, OperandFormat takes_as>
HWY_INLINE void combine_columns(const float* p, int64_t p_row, const Page* pages, int64_t positions, int64_t dim,
                                int64_t column, size_t n, const float* factor, bool continue_chain, float* c,
                                int64_t c_row) {
  const Tag tag;
  const size_t lanes = V == 1 ? n : size_t{lane_count};
  Vector sum[R][V];
  HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(8) for (int v = 0; v < V; ++v) {
      sum[r][v] = continue_chain ? load(c + r * c_row + column + v * lane_count, lanes) : hn::Zero(tag);
    }
  }
  for (int64_t j = 0; j < positions; j += 16) {
    const float* value = pages[j / 16].values + column;
    const int64_t end = HWY_MIN(j + 16, positions);
    constexpr int64_t step_length = takes_as == OperandFormat::floats ? 1 : 2;
    for (int64_t i = j; i < end; i += step_length, value += dim) {
      Vector right[V];
      if constexpr (V == 1) {
        right[0] = load(value, n);
      } else {
        HWY_UNROLL(8) for (int v = 0; v < V; ++v) right[v] = hn::LoadU(tag, value + v * lane_count);
      }
      if constexpr (takes_as != OperandFormat::floats) {
        const int64_t at = takes_as == OperandFormat::words ? i / 2 : i;
        add_words<takes_as>(
            right, [&](int r, int64_t half) HWY_ATTR { return p[r * p_row + at + half]; }, sum);
        continue;
      }
      HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
        const Vector left = hn::Set(tag, p[r * p_row + i]);
        HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
      }
    }
  }
  HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
    const Vector scale = hn::Set(tag, factor[r]);
    HWY_UNROLL(8) for (int v = 0; v < V; ++v) {
      store(hn::Mul(sum[r][v], scale), c + r * c_row + column + v * lane_count, lanes);
    }
  }
}

// The same for all `dim` columns.
template <int R, OperandFormat takes_as>
void combine(const float* p, int64_t p_row, const Page* pages, int64_t positions, int64_t dim, const float* factor,
             bool continue_chain, float* c, int64_t c_row) {
  constexpr int V = wide(R);
  int64_t d = 0;
  for (; d + V * lane_count <= dim; d += V * lane_count) {
    combine_columns<R, V, takes_as>(p, p_row, pages, positions, dim, d, lane_count, factor, continue_chain, c, c_row);
  }
  for (; d + 2 * lane_count <= dim; d += 2 * lane_count) {
    combine_columns<R, 2, takes_as>(p, p_row, pages, positions, dim, d, lane_count, factor, continue_chain, c, c_row);
  }
  for (; d < dim; d += lane_count) {
    const auto n = static_cast<size_t>(HWY_MIN(lane_count, dim - d));
    combine_columns<R, 1, takes_as>(p, p_row, pages, positions, dim, d, n, factor, continue_chain, c, c_row);
  }
}

// Types of `score` and `combine`, with their arguments.
using Score = void (*)(const float*, int64_t, const Page*, int64_t, int64_t, float*, int64_t);
using Combine = void (*)(const float*, int64_t, const Page*, int64_t, int64_t, const float*, bool, float*, int64_t);
// `score` and `combine` by number of rows R, for the operand format T.
template <OperandFormat T>
constexpr Score score_functions[tile_size + 1] = {nullptr,     score<1, T>, score<2, T>, score<3, T>,
                                                  score<4, T>, score<5, T>, score<6, T>};
template <OperandFormat T>
constexpr Combine combine_functions[tile_size + 1] = {nullptr,       combine<1, T>, combine<2, T>, combine<3, T>,
                                                      combine<4, T>, combine<5, T>, combine<6, T>};

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
