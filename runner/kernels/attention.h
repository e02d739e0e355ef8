#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "compeer/model.h"

namespace compeer::kernels {

/// Grouped-query attention. A page holds the keys [dim][16] and values [16][dim] of 16 consecutive absolute positions
/// of one key/value head. A query's output depends on its own row and on the positions before it, never on where
/// their pages lie or what else is computed:
///   score_j = chain over dim of (scale * q) * k_j;   m = max_j;   p_j = exp(score_j - m)
///   s = sum of p_j in 16 virtual lanes (j mod 16), then a tree;   out = (chain over j of p_j * v_j) * (1 / s)
/// In bfloat16 pairs, queries (when scaled), keys, p_j (in the last chain only) and values are rounded, and both chains
/// take them in pairs as gemm.h says, of dimensions and of positions. The way back is float32 of what was rounded.
struct Heads {
  int64_t query = 0, key = 0, dim = 0;  ///< query heads, key/value heads (a divisor of them), size of a head
  int64_t window = 0;                   ///< causal: a position sees this many, itself the last of them; 0: all
  bool pairs = false;                   ///< in bfloat16 pairs
  /// The first position that the causal row at `position` sees.
  int64_t first_seen(int64_t position) const { return window > 0 ? std::max<int64_t>(0, position + 1 - window) : 0; }
  int64_t share() const { return query / key; }
  int64_t query_width() const { return query * dim; }
  int64_t key_width() const { return key * dim; }
};

/// In bfloat16 pairs words (packed.h): keys [dim / 2][16], values [8][dim].
struct Page {
  const float* keys;    ///< [dim][16]
  const float* values;  ///< [16][dim]
};

/// Rows of one context, against the pages of key head `head`: row `row + i` of q and out is at position `first + i`.
struct Rows {
  int64_t row = 0, rows = 0, first = 0;
  int64_t all = 0;  ///< 0: causal; else what every row sees: positions [0, all)
};

/// q and out [..., query heads * dim]; `sums` (or null) [..., query heads, 2] gets max and sum.
void attend(const float* q, const Page* pages, Rows rows, Heads heads, int64_t head, float* out, float* sums);

/// One row of a context of its own, causal: at `position`, against its pages.
struct SingleRow {
  int64_t row, position;
  const Page* pages;
};

/// The same of single rows whose first `common` pages are the same ones, wholly seen by all: these are read once. There
/// may be no window.
void attend_each(const float* q, std::span<const SingleRow> rows, int64_t common, Heads heads, int64_t head, float* out,
                 float* sums);

/// A run of rows, and which rows of the batch are its positions from 0 on.
struct Context {
  std::vector<int64_t> row_of;  ///< position -> row of k and v
  int64_t first = 0;            ///< position of the first query row
  int64_t query_row = 0;        ///< row of q and out of that position
  int64_t rows = 0;
  bool causal = true;  ///< else every row sees all positions
};

/// Rows [start, end) of a batch, all of which see each other.
struct RowRange {
  int64_t start = 0, end = 0;
};
std::vector<Context> contexts(const std::vector<RowRange>& spans);

/// One for each segment of a batch. Throws if a segment does not continue its parent. `before`: rows of k and v that
/// stand before those of the batch and are positions [0, before) of every segment without a parent.
std::vector<Context> contexts(const std::vector<Segment>& segments, int64_t before = 0);

/// Attention of all rows of a batch: k and v [rows, key_width].
void attend_contexts(const float* q, const float* k, const float* v, const std::vector<Context>& contexts, Heads heads,
                     float* out, float* sums);

/// Its gradients: dq is written, dk and dv [rows, key_width] are added to, context after context and in each query head
/// after query head. `sums` as from forward.
void attend_contexts_backward(const float* dout, const float* q, const float* k, const float* v, const float* out,
                              const float* sums, const std::vector<Context>& contexts, Heads heads, float* dq,
                              float* dk, float* dv);

}  // namespace compeer::kernels
