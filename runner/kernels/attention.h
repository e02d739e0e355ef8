#pragma once
#include <cstdint>
#include <vector>

#include "compeer/model.h"

namespace compeer::kernels {

/// Grouped-query attention. A page holds the keys [dim][16] and values [16][dim] of 16 consecutive absolute positions
/// of one key/value head. A query's output depends on its own row and on the positions before it, never on where
/// their pages lie or what else is computed:
///   score_j = scale * chain over dim of q * k_j;   m = max_j;   p_j = exp(score_j - m)
///   s = sum of p_j in 16 virtual lanes (j mod 16), then a tree;   out = (chain over j of p_j * v_j) / s
struct Heads {
  int64_t query = 0, key = 0, dim = 0;  ///< query heads, key/value heads (a divisor of them), size of a head
  int64_t query_width() const { return query * dim; }
  int64_t key_width() const { return key * dim; }
};

struct Page {
  const float* keys;    ///< [dim][16]
  const float* values;  ///< [16][dim]
};

/// The query heads that share key head `head`, of one row at position `count - 1`: q and out [query heads, dim],
/// pages of that key head. `sums` (or null) gets max and sum, two floats for each of these query heads.
void attend(const float* q, const std::vector<Page>& pages, int64_t count, Heads heads, int64_t head, float* out,
            float* sums);

/// The same for `rows` consecutive rows of one context (positions first ...), with keys and values given as rows
/// [first + rows, key_width] of all positions from 0 on: what training does.
struct Context {
  std::vector<int64_t> row_of;  ///< position -> row of k and v
  int64_t first = 0;            ///< position of the first query row
  int64_t query_row = 0;        ///< row of q and out of that position
  int64_t rows = 0;
};

/// One for each segment of a batch. Throws if a segment does not continue its parent.
std::vector<Context> contexts(const std::vector<Segment>& segments);

void attend_context(const float* q, const float* k, const float* v, const Context& context, Heads heads, float* out,
                    float* sums);

/// Gradients; dq is written, dk and dv are added to, position after position. `sums` [rows, query heads, 2] as from
/// forward.
void attend_context_backward(const float* dout, const float* q, const float* k, const float* v, const float* out,
                             const float* sums, const Context& context, Heads heads, float* dq, float* dk, float* dv);

/// Rows [start, end) of a batch.
struct Span {
  int64_t start = 0, end = 0;
};

/// Every row of a span attends to all rows of it.
void attend_span(const float* q, const float* k, const float* v, Span span, Heads heads, float* out);

}  // namespace compeer::kernels
