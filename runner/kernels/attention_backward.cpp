// The backward pass of attention: recomputes the probabilities of blocks of 48 query rows from the saved sums, and adds
// their contributions to the gradients in a fixed order.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/attention_pages.h"
#include "kernels/workers.h"

#ifndef COMPEER_KERNELS_ATTENTION_WAY_BACK
#define COMPEER_KERNELS_ATTENTION_WAY_BACK
namespace compeer::kernels {
// The backward pass of one query head of one context. Pointers are to the first row.
struct HeadBackward {
  const float *dout, *q, *out, *sums;
  const Page *pages, *mirror;  // see ContextPages
  Rows rows;
  float* dq;
  float *dkeys, *dvalues;  // [positions, padded dim]: this head's contribution to dk and dv
};
constexpr int64_t backward_block = 48;  // query rows per block; determines the bits of the gradients

inline int64_t padded(int64_t n) { return (n + 15) / 16 * 16; }

// Layout of the scratch memory: blocks of q, dout, probabilities and gradients of scores.
struct BackwardScratch {
  int64_t width, stride;  // floats per row of q and dout; floats per row of probabilities
  BackwardScratch(int64_t dim, int64_t positions) : width(padded(dim)), stride(padded(positions) + 16) {}
  size_t floats() const { return static_cast<size_t>(backward_block * 2 * (width + stride)); }
};
}  // namespace compeer::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_backward.cpp"
#include <hwy/foreach_target.h>

#include "kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

// c[r, v] += sum over i in [from, to) of a[i, r] * b[i, v], for V vectors: one chain, which is then added to c.
template <int R, int V>
HWY_INLINE void outer_columns(const float* a, int64_t a_row, const float* b, int64_t b_row, int64_t from, int64_t to,
                              float* c, int64_t c_row) {
  const Tag tag;
  Vector sum[R][V];
  HWY_UNROLL(8) for (int r = 0; r < R; ++r) { HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = hn::Zero(tag); }
  for (int64_t i = from; i < to; ++i) {
    Vector right[V];
    HWY_UNROLL(8) for (int v = 0; v < V; ++v) right[v] = hn::LoadU(tag, b + i * b_row + v * lane_count);
    HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
      const Vector left = hn::Set(tag, a[i * a_row + r]);
      HWY_UNROLL(8) for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
    }
  }
  HWY_UNROLL(8) for (int r = 0; r < R; ++r) {
    HWY_UNROLL(8) for (int v = 0; v < V; ++v) {
      float* to_c = c + r * c_row + v * lane_count;
      hn::StoreU(hn::Add(hn::LoadU(tag, to_c), sum[r][v]), tag, to_c);
    }
  }
}

// The same for all `width` columns.
template <int R>
void outer(const float* a, int64_t a_row, const float* b, int64_t width, int64_t from, int64_t to, float* c) {
  constexpr int V = wide(R);
  int64_t d = 0;
  for (; d + V * lane_count <= width; d += V * lane_count)
    outer_columns<R, V>(a, a_row, b + d, width, from, to, c + d, width);
  for (; d < width; d += 16) outer_columns<R, lane_vectors>(a, a_row, b + d, width, from, to, c + d, width);
}

using Outer = void (*)(const float*, int64_t, const float*, int64_t, int64_t, int64_t, float*);
constexpr Outer outer_functions[tile_size + 1] = {nullptr, outer<1>, outer<2>, outer<3>, outer<4>, outer<5>, outer<6>};

// Converts one row in place: scores p to probabilities, gradients ds of probabilities to gradients of scores. Elements
// before `first` and in [count, end) become zeros. `inverse` is 1 / sum, `along` is dout . out.
HWY_INLINE void softmax_backward(float* p, float* ds, int64_t first, int64_t count, int64_t end, float max,
                                 float inverse, float along) {
  const Tag tag;
  const Vector top = hn::Set(tag, max), factor = hn::Set(tag, inverse), less = hn::Set(tag, along);
  int64_t j = 0;
  for (; j < count; j += lane_count) {
    const Vector e = hn::Mul(exponential(hn::Sub(hn::LoadU(tag, p + j), top)), factor);
    hn::StoreU(e, tag, p + j);
    hn::StoreU(hn::Mul(e, hn::Sub(hn::LoadU(tag, ds + j), less)), tag, ds + j);
  }
  for (j = 0; j < first; ++j) p[j] = ds[j] = 0.0f;
  for (j = count; j < end; ++j) p[j] = ds[j] = 0.0f;
}

// With s = scale q . k and p = exp(s - max) / sum:
//   ds = p (dout . v - dout . out),  dq = scale sum ds k,  dk += ds scale q,  dv += p dout
// `memory` has the layout of BackwardScratch.
void attend_rows_backward(const HeadBackward& back, Heads heads, float* memory) {
  const int64_t dim = heads.dim, row_width = heads.query_width(), all = back.rows.all;
  const int64_t last = all > 0 ? all : back.rows.first + back.rows.rows;
  const BackwardScratch room(dim, last);
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  float *q = memory, *dout = q + backward_block * room.width, *p = dout + backward_block * room.width,
        *ds = p + backward_block * room.stride;
  std::fill_n(back.dkeys, padded(last) * room.width, 0.0f);
  std::fill_n(back.dvalues, padded(last) * room.width, 0.0f);
  for (int64_t begin = 0; begin < back.rows.rows; begin += backward_block) {
    const int64_t rows = std::min(backward_block, back.rows.rows - begin), first = back.rows.first + begin;
    const int64_t seen = all > 0 ? all : first + rows, end = padded(seen);
    for (int64_t i = 0; i < rows; ++i) {
      const float *from_q = back.q + (begin + i) * row_width, *from_d = back.dout + (begin + i) * row_width;
      float *to_q = q + i * room.width, *to_d = dout + i * room.width;
      for (int64_t d = 0; d < dim; ++d) to_q[d] = from_q[d] * scale, to_d[d] = from_d[d];
      for (int64_t d = dim; d < room.width; ++d) to_q[d] = to_d[d] = 0.0f;
      for (int64_t d = 0; heads.pairs && d < dim; ++d) to_q[d] = Bfloat16::nearest(to_q[d]).widened();
    }
    for (int64_t i = 0; i < rows; i += tile_size) {
      const int64_t n = std::min<int64_t>(tile_size, rows - i), longest = all > 0 ? all : first + i + n,
                    pages = (longest + 15) / 16;
      float *tile_p = p + i * room.stride, *tile_ds = ds + i * room.stride;
      score_functions<OperandFormat::floats>[n](q + i * room.width, room.width, back.pages, pages, dim, tile_p,
                                                room.stride);
      score_functions<OperandFormat::floats>[n](dout + i * room.width, room.width, back.mirror, pages, dim, tile_ds,
                                                room.stride);
      for (int64_t r = 0; r < n; ++r) {
        const int64_t row = begin + i + r;
        const float* sums = back.sums + row * heads.query * 2;
        const int64_t position = first + i + r;
        softmax_backward(tile_p + r * room.stride, tile_ds + r * room.stride, all > 0 ? 0 : heads.first_seen(position),
                         all > 0 ? all : position + 1, end, sums[0], 1.0f / sums[1],
                         lane_dot(back.dout + row * row_width, back.out + row * row_width, dim));
      }
      const float factor[tile_size] = {scale, scale, scale, scale, scale, scale};
      combine_functions<OperandFormat::floats>[n](tile_ds, room.stride, back.mirror, longest, dim, factor, false,
                                                  back.dq + (begin + i) * row_width, row_width);
    }
    for (int64_t j = 0; j < seen; j += tile_size) {
      const int64_t n = std::min<int64_t>(tile_size, seen - j), from = all > 0 ? 0 : std::max<int64_t>(0, j - first);
      outer_functions[n](ds + j, room.stride, q, room.width, from, rows, back.dkeys + j * room.width);
      outer_functions[n](p + j, room.stride, dout, room.width, from, rows, back.dvalues + j * room.width);
    }
  }
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(attend_rows_backward);

namespace {

// Adds the gradients [positions, width] of a context's keys or values to the rows of these positions.
void add(const float* from, int64_t width, int64_t dim, const Context& context, int64_t stride, float* to) {
  for (const int64_t row : context.row_of) {
    for (int64_t d = 0; d < dim; ++d) to[row * stride + d] += from[d];
    from += width;
  }
}

}  // namespace

void attend_contexts_backward(const float* dout, const float* q, const float* k, const float* v, const float* out,
                              const float* sums, const std::vector<Context>& contexts, Heads heads, float* dq,
                              float* dk, float* dv) {
  const ContextPages pages(k, v, contexts, heads, true);
  const int64_t dim = heads.dim, width = padded(dim), count = static_cast<int64_t>(contexts.size());
  std::vector<int64_t> start;  // offset of each context's gradients in `memory`
  int64_t floats = 0;
  for (const Context& c : contexts) {
    start.push_back(floats);
    floats += 2 * heads.query * padded(static_cast<int64_t>(c.row_of.size())) * width;
  }
  const std::unique_ptr<float[]> memory(new float[static_cast<size_t>(floats)]);
  const auto sums_of = [&](size_t c, int64_t head) {
    const int64_t one = padded(static_cast<int64_t>(contexts[c].row_of.size())) * width;
    float* keys = memory.get() + start[c] + 2 * head * one;
    return std::pair{keys, keys + one};
  };
  parallel_for(count * heads.query, [&](int64_t task) {
    const auto c = static_cast<size_t>(task / heads.query);
    const int64_t head = task % heads.query, row = contexts[c].query_row;
    const int64_t at = row * heads.query_width() + head * dim;
    const auto [dkeys, dvalues] = sums_of(c, head);
    const HeadBackward back{dout + at,
                            q + at,
                            out + at,
                            sums + (row * heads.query + head) * 2,
                            pages.of(c, head / heads.queries_per_key()),
                            pages.mirror(c, head / heads.queries_per_key()),
                            {row, contexts[c].rows, contexts[c].first, contexts[c].causal ? 0 : contexts[c].rows},
                            dq + at,
                            dkeys,
                            dvalues};
    const BackwardScratch room(dim, contexts[c].first + contexts[c].rows);
    HWY_DYNAMIC_DISPATCH(attend_rows_backward)(back, heads, scratch(room.floats()));
  });
  parallel_for(heads.key, [&](int64_t key) {
    for (size_t c = 0; c < contexts.size(); ++c) {
      for (int64_t head = key * heads.queries_per_key(); head < (key + 1) * heads.queries_per_key(); ++head) {
        const auto [dkeys, dvalues] = sums_of(c, head);
        add(dkeys, width, dim, contexts[c], heads.key_width(), dk + key * dim);
        add(dvalues, width, dim, contexts[c], heads.key_width(), dv + key * dim);
      }
    }
  });
}

}  // namespace compeer::kernels
#endif
