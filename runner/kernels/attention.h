#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "compeer/model.h"

// The kernels of attention and its gradients on the CPU. A row is one token of a batch; its position is its absolute
// index in its context, the sequence of tokens that it attends to. Keys and values are read from pages of 16
// consecutive positions of one key/value head.

namespace compeer::kernels {

/// Sizes of grouped-query attention, and the definition of its result. The output of a query depends only on its own
/// row and the positions that it attends to, not on the location of their pages or on other rows:
///   score_j = chain over dim of (scale * q) * k_j;   m = max_j;   p_j = exp(score_j - m)
///   s = sum of p_j in 16 virtual lanes (j mod 16), then a tree;   out = (chain over j of p_j * v_j) * (1 / s)
/// A chain is a sequence of fused multiply-adds. In bfloat16 pairs, scaled queries, keys, p_j (in the last chain only)
/// and values are rounded to bfloat16, and the two chains take dimensions and positions in pairs, the later element of
/// a pair first. The backward pass computes in float32 with the rounded values.
struct Heads {
  int64_t query = 0, key = 0, dim = 0;  ///< number of query heads; of key/value heads (a divisor); size of a head
  int64_t window = 0;                   ///< causal: number of positions that a row attends to, itself included; 0: all
  bool pairs = false;                   ///< compute in bfloat16 pairs, otherwise in float32
  /// Returns the first position that the causal row at `position` attends to.
  int64_t first_seen(int64_t position) const { return window > 0 ? std::max<int64_t>(0, position + 1 - window) : 0; }
  int64_t queries_per_key() const { return query / key; }  ///< query heads per key head
  int64_t query_width() const { return query * dim; }      ///< row length of queries and outputs
  int64_t key_width() const { return key * dim; }          ///< row length of keys and of values
};

/// Keys and values of 16 positions of one key/value head. With bfloat16 pairs the elements are 32-bit words that hold
/// two bfloat16 numbers, the earlier one in the lower half: keys [dim / 2][16] (pairs of dimensions), values [8][dim]
/// (pairs of positions).
struct Page {
  const float* keys;    ///< [dim][16]
  const float* values;  ///< [16][dim]
};

/// Consecutive query rows of one context: row `row + i` of q and out, i < `rows`, is at position `first + i`.
struct Rows {
  int64_t row = 0, rows = 0, first = 0;  ///< first row; number of rows; position of the first row
  int64_t all = 0;                       ///< 0: causal; otherwise every row attends to the positions [0, all)
};

/// Computes the attention of `rows` in all query heads that share key head `head`. `pages`: the pages of the context
/// and this key head, from position 0 on. q and out are [rows of the batch, query heads * dim]. If `sums` [rows of the
/// batch, query heads, 2] is not null, m and s (as defined at Heads) are written to it, for the backward pass.
void attend(const float* q, const Page* pages, Rows rows, Heads heads, int64_t head, float* out, float* sums);

/// The only query row of a context, causal.
struct SingleRow {
  int64_t row, position;  ///< row of q and out; its position in the context
  const Page* pages;      ///< pages of the context and the key head, from position 0 on
};

/// Computes the same for single rows of several contexts. The first `common` pages are the same for all rows, and each
/// row attends to all of their positions, so these pages are read from memory once. `heads.window` must be 0.
void attend_each(const float* q, std::span<const SingleRow> rows, int64_t common, Heads heads, int64_t head, float* out,
                 float* sums);

/// Consecutive query rows of a batch, and the rows of k and v that they attend to.
struct Context {
  std::vector<int64_t> row_of;  ///< by position: row of k and v; covers the query rows as well
  int64_t first = 0;            ///< position of the first query row
  int64_t query_row = 0;        ///< row of q and out of that position
  int64_t rows = 0;             ///< number of query rows
  bool causal = true;           ///< false: every row attends to all positions
};

/// Rows [start, end) of a batch that all attend to each other, such as the patches of one image.
struct RowRange {
  int64_t start = 0, end = 0;
};
/// Returns a non-causal context for each span.
std::vector<Context> contexts(const std::vector<RowRange>& spans);

/// Returns a causal context for each segment of a training batch: the positions of the segments that it continues
/// (`Segment::parent`), then its own. Throws c10::Error if a segment does not begin at the position after its parent's
/// last. `before`: number of rows of k and v in front of those of the batch (of a shared prefix); they are the
/// positions [0, before) of every segment without a parent.
std::vector<Context> contexts(const std::vector<Segment>& segments, int64_t before = 0);

/// Computes the attention of all rows of a batch without a cache: q and out [rows, query_width], k and v [rows,
/// key_width], `sums` as in `attend`. Multi-threaded.
void attend_contexts(const float* q, const float* k, const float* v, const std::vector<Context>& contexts, Heads heads,
                     float* out, float* sums);

/// Computes the gradients of attend_contexts, given its arguments, its results `out` and `sums`, and the gradient
/// `dout` with respect to `out`. Writes dq [rows, query_width] and adds to dk and dv [rows, key_width], context by
/// context and within each by query head, in order. Multi-threaded.
void attend_contexts_backward(const float* dout, const float* q, const float* k, const float* v, const float* out,
                              const float* sums, const std::vector<Context>& contexts, Heads heads, float* dq,
                              float* dk, float* dv);

}  // namespace compeer::kernels
