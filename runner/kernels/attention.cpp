// The forward pass of attention: in tiles of up to six queries against pages of 16 positions.
#include "kernels/attention.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention_pages.h"
#include "kernels/instruction_set.h"
#include "kernels/workers.h"

#ifndef COMPEER_KERNELS_LONGEST_CONTEXT
#define COMPEER_KERNELS_LONGEST_CONTEXT
namespace compeer::kernels {

// Returns the largest number of positions that a row attends to.
inline int64_t longest(std::span<const SingleRow> rows) {
  int64_t most = 0;
  for (const SingleRow& row : rows) most = std::max(most, row.position + 1);
  return most;
}

}  // namespace compeer::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include <hwy/foreach_target.h>

#include "kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace compeer::kernels::HWY_NAMESPACE {

// Replaces the scores p[first, count) by exp(score - max), and all other elements of p[0, end) by zeros. Returns 1 /
// sum; writes max and sum to `sums` unless it is null.
HWY_INLINE float weigh(float* p, int64_t first, int64_t count, int64_t end, float* sums) {
  const Tag tag;
  for (int64_t j = 0; j < first; ++j) p[j] = -INFINITY;
  for (int64_t j = count; j < end; ++j) p[j] = -INFINITY;
  const int64_t padded = (count + 15) / 16 * 16;
  Vector top[lane_vectors];
  for (int i = 0; i < lane_vectors; ++i) top[i] = hn::LoadU(tag, p + i * lane_count);
  for (int64_t j = 16; j < padded; j += 16) {
    for (int i = 0; i < lane_vectors; ++i) top[i] = hn::Max(top[i], hn::LoadU(tag, p + j + i * lane_count));
  }
  for (int i = 1; i < lane_vectors; ++i) top[0] = hn::Max(top[0], top[i]);
  const Vector max = hn::MaxOfLanes(tag, top[0]);
  Vector sum[lane_vectors];
  for (int i = 0; i < lane_vectors; ++i) sum[i] = hn::Zero(tag);
  for (int64_t j = 0; j < padded; j += 16) {
    for (int i = 0; i < lane_vectors; ++i) {
      const Vector e = exponential(hn::Sub(hn::LoadU(tag, p + j + i * lane_count), max));
      hn::StoreU(e, tag, p + j + i * lane_count);
      sum[i] = hn::Add(sum[i], e);
    }
  }
  for (int64_t j = padded; j < end; ++j) p[j] = 0.0f;
  float lanes[16];
  for (int i = 0; i < lane_vectors; ++i) hn::StoreU(sum[i], tag, lanes + i * lane_count);
  const float total = tree(lanes);
  if (sums) sums[0] = hn::GetLane(max), sums[1] = total;
  return 1.0f / total;
}

// Converts a row in place to the operand format of the products: rounds it if they are of bfloat16 pairs.
template <OperandFormat takes_as>
HWY_INLINE void to_operand_format(float* row, int64_t count) {
  if constexpr (takes_as != OperandFormat::floats) pair_row<takes_as == OperandFormat::words>(row, count, row);
}

// Writes q / sqrt(dim) in the operand format to `scaled`.
template <OperandFormat takes_as>
HWY_INLINE void scale_query(const float* q, int64_t dim, float* scaled) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  for (int64_t d = 0; d < dim; ++d) scaled[d] = q[d] * scale;
  to_operand_format<takes_as>(scaled, dim);
}

// Attention of all queries of `rows`: query number i is row i / share, in query head i % share of those that use these
// pages. Queries are processed in tiles of six, which does not change their bits. Pages that no query of a tile attends
// to are skipped.
template <OperandFormat takes_as>
void attend_queries(const float* q, const Page* pages, Rows rows, Heads heads, int64_t head, float* out, float* sums,
                    float* memory) {
  const int64_t dim = heads.dim, shared = heads.queries_per_key(), total = rows.rows * shared;
  for (int64_t from = 0; from < total; from += tile_size) {
    const int64_t n = std::min<int64_t>(tile_size, total - from);
    const auto seen = [&](int64_t query) { return rows.all > 0 ? rows.all : rows.first + query / shared + 1; };
    const auto first_seen = [&](int64_t query) {
      return rows.all > 0 ? int64_t{0} : heads.first_seen(rows.first + query / shared);
    };
    const auto place = [&](int64_t query) {
      return (rows.row + query / shared) * heads.query + head * shared + query % shared;
    };
    const int64_t begin = first_seen(from) / 16 * 16, longest = seen(from + n - 1) - begin,
                  padded = (longest + 15) / 16 * 16, stride = padded + 16;
    const Page* visible = pages + begin / 16;
    float *scaled = memory, *results = memory + tile_size * dim, *p = results + tile_size * dim;
    for (int64_t i = 0; i < n; ++i) scale_query<takes_as>(q + place(from + i) * dim, dim, scaled + i * dim);
    score_functions<takes_as>[n](scaled, dim, visible, padded / 16, dim, p, stride);
    float factor[tile_size];
    for (int64_t i = 0; i < n; ++i) {
      factor[i] = weigh(p + i * stride, first_seen(from + i) - begin, seen(from + i) - begin, padded,
                        sums ? sums + 2 * place(from + i) : nullptr);
      to_operand_format<takes_as>(p + i * stride, padded);
    }
    combine_functions<takes_as>[n](p, stride, visible, longest, dim, factor, false, results, dim);
    for (int64_t i = 0; i < n; ++i) std::copy_n(results + i * dim, dim, out + place(from + i) * dim);
  }
}

void attend_rows(const float* q, const Page* pages, Rows rows, Heads heads, int64_t head, float* out, float* sums,
                 float* memory) {
  if (!heads.pairs) return attend_queries<OperandFormat::floats>(q, pages, rows, heads, head, out, sums, memory);
  const FlushDenormals flush;
  const auto attend = pairs_are_words() ? attend_queries<OperandFormat::words> : attend_queries<OperandFormat::pairs>;
  attend(q, pages, rows, heads, head, out, sums, memory);
}

// The same for single rows of several contexts. The pages that all of them share are processed in blocks that stay in
// the second-level cache for all queries; the chains over positions continue from block to block.
template <OperandFormat takes_as>
void attend_queries_of_each(const float* q, std::span<const SingleRow> rows, int64_t common, Heads heads, int64_t head,
                            float* out, float* sums, float* memory) {
  constexpr int64_t block_size = 32;
  const int64_t dim = heads.dim, shared = heads.queries_per_key(), total = std::ssize(rows) * shared,
                stride = longest(rows) + 32;
  float *scaled = memory, *results = scaled + total * dim, *factors = results + total * dim, *p = factors + total;
  // Calls work for tiles of the queries [from, to), with the pages from `first` on, of which `positions` are visible.
  const auto in_tiles = [](int64_t from, int64_t to, const Page* pages, int64_t first, int64_t positions, auto work) {
    for (int64_t n = 0; positions > 0 && from < to; from += n) {
      n = std::min<int64_t>(tile_size, to - from);
      work(from, n, pages + first, first, positions);
    }
  };
  const auto over_pages = [&](auto work) {
    for (int64_t page = 0; page < common; page += block_size)
      in_tiles(0, total, rows[0].pages, page, std::min(block_size, common - page) * 16, work);
    for (int64_t i = 0; i < std::ssize(rows); ++i) {
      const SingleRow& row = rows[static_cast<size_t>(i)];
      in_tiles(i * shared, (i + 1) * shared, row.pages, common, row.position + 1 - common * 16, work);
    }
  };
  const auto each_query = [&](auto work) {
    for (int64_t i = 0; i < total; ++i) {
      const SingleRow& row = rows[static_cast<size_t>(i / shared)];
      work(i, row.position + 1, (row.row * heads.query + head * shared + i % shared) * dim);
    }
  };
  each_query([&](int64_t i, int64_t, int64_t place) { scale_query<takes_as>(q + place, dim, scaled + i * dim); });
  over_pages([&](int64_t from, int64_t n, const Page* pages, int64_t first, int64_t positions) {
    score_functions<takes_as>[n](scaled + from * dim, dim, pages, (positions + 15) / 16, dim,
                                 p + from * stride + first * 16, stride);
  });
  each_query([&](int64_t i, int64_t seen, int64_t place) {
    const int64_t padded = (seen + 15) / 16 * 16;
    factors[i] = weigh(p + i * stride, 0, seen, padded, sums ? sums + 2 * (place / dim) : nullptr);
    to_operand_format<takes_as>(p + i * stride, padded);
  });
  constexpr float ones[tile_size] = {1, 1, 1, 1, 1, 1};
  over_pages([&](int64_t from, int64_t n, const Page* pages, int64_t first, int64_t positions) {
    const float* weights = p + from * stride + first * (takes_as == OperandFormat::words ? 8 : 16);
    combine_functions<takes_as>[n](weights, stride, pages, positions, dim, ones, first > 0, results + from * dim, dim);
  });
  each_query([&](int64_t i, int64_t, int64_t place) {
    for (int64_t d = 0; d < dim; ++d) out[place + d] = results[i * dim + d] * factors[i];
  });
}

void attend_each_row(const float* q, std::span<const SingleRow> rows, int64_t common, Heads heads, int64_t head,
                     float* out, float* sums, float* memory) {
  if (!heads.pairs)
    return attend_queries_of_each<OperandFormat::floats>(q, rows, common, heads, head, out, sums, memory);
  const FlushDenormals flush;
  const auto attend =
      pairs_are_words() ? attend_queries_of_each<OperandFormat::words> : attend_queries_of_each<OperandFormat::pairs>;
  attend(q, rows, common, heads, head, out, sums, memory);
}

}  // namespace compeer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace compeer::kernels {

HWY_EXPORT(attend_rows);
HWY_EXPORT(attend_each_row);

void attend(const float* q, const Page* pages, Rows rows, Heads heads, int64_t head, float* out, float* sums) {
  constexpr int64_t long_row = 1024;  // positions above which the pages do not stay in the second-level cache
  if (rows.all == 0 && heads.window == 0 && rows.rows > 1 && rows.first >= long_row) {
    std::vector<SingleRow> each;
    for (int64_t i = 0; i < rows.rows; ++i) each.push_back({rows.row + i, rows.first + i, pages});
    return attend_each(q, each, (rows.first + 1) / 16, heads, head, out, sums);
  }
  const int64_t longest = rows.all > 0 ? rows.all : rows.first + rows.rows;
  float* memory = scratch(static_cast<size_t>(6 * (2 * heads.dim + longest + 32)));
  HWY_DYNAMIC_DISPATCH(attend_rows)(q, pages, rows, heads, head, out, sums, memory);
}

void attend_each(const float* q, std::span<const SingleRow> rows, int64_t common, Heads heads, int64_t head, float* out,
                 float* sums) {
  const int64_t total = std::ssize(rows) * heads.queries_per_key();
  float* memory = scratch(static_cast<size_t>(total * (2 * heads.dim + longest(rows) + 33) + 16));
  HWY_DYNAMIC_DISPATCH(attend_each_row)(q, rows, common, heads, head, out, sums, memory);
}

namespace {

// Returns the rows of k and v for a segment's positions from 0 on.
std::vector<int64_t> rows_of(const std::vector<Segment>& segments, const Segment& s, int64_t before) {
  std::vector<int64_t> rows;
  if (s.parent >= 0) {
    rows = rows_of(segments, segments[static_cast<size_t>(s.parent)], before);
  } else {
    for (int64_t i = 0; i < before; ++i) rows.push_back(i);
  }
  for (int64_t i = 0; i < s.length; ++i) rows.push_back(before + s.start + i);
  TORCH_CHECK(static_cast<int64_t>(rows.size()) == s.position + s.length,
              "a segment must continue its parent: position ", s.position, " does not");
  return rows;
}

}  // namespace

std::vector<Context> contexts(const std::vector<Segment>& segments, int64_t before) {
  std::vector<Context> all;
  for (const Segment& s : segments) all.push_back({rows_of(segments, s, before), s.position, s.start, s.length});
  return all;
}

std::vector<Context> contexts(const std::vector<RowRange>& spans) {
  std::vector<Context> all;
  for (const RowRange& span : spans) {
    Context context{{}, 0, span.start, span.end - span.start, false};
    for (int64_t row = span.start; row < span.end; ++row) context.row_of.push_back(row);
    all.push_back(std::move(context));
  }
  return all;
}

namespace {

// A unit of work for a thread: rows of a context in one key head.
struct RowTask {
  size_t context;
  int64_t head;
  Rows rows;
};

std::vector<RowTask> tasks(const std::vector<Context>& contexts, int64_t heads) {
  constexpr int64_t block_size = 24;
  std::vector<RowTask> all;
  for (size_t c = 0; c < contexts.size(); ++c) {
    const Context& context = contexts[c];
    for (int64_t i = 0; i < context.rows; i += block_size) {
      const Rows rows{context.query_row + i, std::min(block_size, context.rows - i), context.first + i,
                      context.causal ? 0 : context.rows};
      for (int64_t h = 0; h < heads; ++h) all.push_back({c, h, rows});
    }
  }
  return all;
}

}  // namespace

void attend_contexts(const float* q, const float* k, const float* v, const std::vector<Context>& contexts, Heads heads,
                     float* out, float* sums) {
  const ContextPages pages(k, v, contexts, heads, false);
  const auto all = tasks(contexts, heads.key);
  parallel_for(static_cast<int64_t>(all.size()), [&](int64_t i) {
    const RowTask& task = all[static_cast<size_t>(i)];
    attend(q, pages.of(task.context, task.head), task.rows, heads, task.head, out, sums);
  });
}

}  // namespace compeer::kernels
#endif
