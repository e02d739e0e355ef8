#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "compeer/model.h"

namespace compeer::kernels {

/// Sizes of grouped-query attention. A page holds the keys [dim][16] and values [16][dim] of 16 consecutive absolute
/// positions of one key/value head. The output of a query depends only on its own row and the positions that it attends
/// to, not on the location of their pages or on other rows:
///   score_j = chain over dim of (scale * q) * k_j;   m = max_j;   p_j = exp(score_j - m)
///   s = sum of p_j in 16 virtual lanes (j mod 16), then a tree;   out = (chain over j of p_j * v_j) * (1 / s)
/// In bfloat16 pairs, scaled queries, keys, p_j (in the last chain only) and values are rounded, and the two chains
/// take dimensions and positions in pairs, as in gemm.h. The backward pass computes in float32 with the rounded values.
struct Heads {
  int64_t query = 0, key = 0, dim = 0;  ///< query heads, key/value heads (divides the query heads), size of a head
  int64_t window = 0;                   ///< causal: number of positions that a row attends to, itself included; 0: all
  bool pairs = false;                   ///< compute in bfloat16 pairs
  /// Returns the first position that the causal row at `position` attends to.
  int64_t first_seen(int64_t position) const { return window > 0 ? std::max<int64_t>(0, position + 1 - window) : 0; }
  int64_t queries_per_key() const { return query / key; }  ///< query heads per key head
  int64_t query_width() const { return query * dim; }
  int64_t key_width() const { return key * dim; }
};

/// Keys and values of 16 positions of one key head. In bfloat16 pairs these are 32-bit words (packed.h): keys [dim /
/// 2][16], values [8][dim].
struct Page {
  const float* keys;    ///< [dim][16]
  const float* values;  ///< [16][dim]
};

/// Consecutive rows of one context: row `row + i` of q and out, i < `rows`, is at position `first + i`.
struct Rows {
  int64_t row = 0, rows = 0, first = 0;
  int64_t all = 0;  ///< 0: causal; otherwise every row attends to the positions [0, all)
};

/// Attention of `rows` in all query heads of key head `head`, whose `pages` are given. q and out are [..., query heads
/// * dim]. If `sums` [..., query heads, 2] is not null, the maximum of the scores and s are written to it, for the
/// backward pass.
void attend(const float* q, const Page* pages, Rows rows, Heads heads, int64_t head, float* out, float* sums);

/// The only row of a context, causal, at `position`. `pages` are those of the context.
struct SingleRow {
  int64_t row, position;
  const Page* pages;
};

/// The same for single rows of several contexts that share their first `common` pages, all positions of which are
/// visible to all rows: these pages are read once. `heads.window` must be 0.
void attend_each(const float* q, std::span<const SingleRow> rows, int64_t common, Heads heads, int64_t head, float* out,
                 float* sums);

/// Consecutive query rows of a batch, and the rows of the positions that they attend to.
struct Context {
  std::vector<int64_t> row_of;  ///< position -> row of k and v
  int64_t first = 0;            ///< position of the first query row
  int64_t query_row = 0;        ///< row of q and out of that position
  int64_t rows = 0;             ///< number of query rows
  bool causal = true;           ///< false: every row attends to all positions
};

/// Rows [start, end) of a batch, all of which attend to each other.
struct RowRange {
  int64_t start = 0, end = 0;
};
/// Returns a non-causal context for each span.
std::vector<Context> contexts(const std::vector<RowRange>& spans);

/// Returns a causal context for each segment of a batch. Throws c10::Error if a segment does not continue its parent.
/// `before`: number of rows of k and v in front of those of the batch, which are the positions [0, before) of every
/// segment without a parent.
std::vector<Context> contexts(const std::vector<Segment>& segments, int64_t before = 0);

/// Attention of all rows of a batch: q and out [rows, query_width], k and v [rows, key_width], `sums` as in `attend`.
/// Multi-threaded.
void attend_contexts(const float* q, const float* k, const float* v, const std::vector<Context>& contexts, Heads heads,
                     float* out, float* sums);

/// The gradients of attend_contexts, given its `out` and `sums`. Writes dq [rows, query_width] and adds to dk and dv
/// [rows, key_width], context by context and within each by query head, in order. Multi-threaded.
void attend_contexts_backward(const float* dout, const float* q, const float* k, const float* v, const float* out,
                              const float* sums, const std::vector<Context>& contexts, Heads heads, float* dq,
                              float* dk, float* dv);

}  // namespace compeer::kernels
