// Attention with the KV cache of the rollout engine.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <span>

#include "kernels/attention_pages.h"
#include "kernels/functions.h"
#include "kernels/workers.h"

namespace compeer::kernels {

namespace {

// Writes the positions [from, to), all of them in one page, to that page of one head. A full page is transposed at
// once.
void store_page(const float* k, const float* v, int64_t stride, int64_t from, int64_t to, int64_t dim, float* keys,
                float* values) {
  const int64_t slot = from % 16, count = to - from;
  if (count == 16) {
    const float* rows[16];
    for (int64_t i = 0; i < 16; ++i) rows[i] = k + i * stride;
    transpose_page(rows, 16, dim, keys);
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t d = 0; count < 16 && d < dim; ++d) keys[d * 16 + slot + i] = k[i * stride + d];
    std::copy_n(v + i * stride, dim, values + (slot + i) * dim);
  }
}

// The same in bfloat16 pairs.
void store_words(const float* k, const float* v, int64_t stride, int64_t from, int64_t to, int64_t dim, float* keys,
                 float* values) {
  for (int64_t i = 0; i < to - from; ++i) {
    add_key(k + i * stride, dim, from % 16 + i, reinterpret_cast<uint32_t*>(keys));
    add_value(v + i * stride, dim, from % 16 + i, reinterpret_cast<uint32_t*>(values));
  }
}

// Returns the offset in floats of a page's keys or values of one head.
int64_t page_of(int64_t page, int64_t head, Heads heads) {
  return (page * heads.key + head) * (heads.pairs ? 8 : 16) * heads.dim;
}
const float* numbers(const at::Tensor& pages) { return static_cast<const float*>(pages.const_data_ptr()); }
float* numbers(at::Tensor& pages) { return static_cast<float*>(pages.mutable_data_ptr()); }

void store(const float* k, const float* v, const Segment& segment, Heads heads, float* keys, float* values) {
  const auto store_rows = heads.pairs ? store_words : store_page;
  const int64_t end = segment.position + segment.length, width = heads.key_width();
  for (int64_t from = segment.position, to = 0; from < end; from = to) {
    to = std::min(end, (from / 16 + 1) * 16);
    const int64_t page = segment.pages.at(static_cast<size_t>(from / 16)),
                  row = segment.start + from - segment.position;
    for (int64_t h = 0; h < heads.key; ++h) {
      const int64_t base = page_of(page, h, heads);
      store_rows(k + row * width + h * heads.dim, v + row * width + h * heads.dim, width, from, to, heads.dim,
                 keys + base, values + base);
    }
  }
}

// A unit of work for a thread, in one key head: rows [from, from + rows) of one segment, or the single rows of several
// segments that share their first `common` pages.
struct SegmentTask {
  std::span<const Segment> segments;
  int64_t head, from, rows, common;
};

// Returns the number of leading pages that the two segments share and whose positions are all visible to both.
int64_t common_pages(const Segment& a, const Segment& b) {
  const auto seen = static_cast<size_t>((std::min(a.position, b.position) + 1) / 16);
  const auto end = a.pages.begin() + static_cast<int64_t>(seen);
  return std::mismatch(a.pages.begin(), end, b.pages.begin()).first - a.pages.begin();
}

// The number of single-row segments at the beginning that share enough pages with the first one for attend_each to be
// worthwhile, and the number of these pages.
struct PrefixGroup {
  size_t rows;
  int64_t common;
};
PrefixGroup prefix_group(std::span<const Segment> segments, size_t most) {
  constexpr int64_t lower_limit = 4;
  PrefixGroup found{1, 0};
  for (; found.rows < std::min(most, segments.size()) && segments[found.rows].length == 1; ++found.rows) {
    const int64_t common = common_pages(segments[0], segments[found.rows]);
    if (common < std::max(lower_limit, segments[0].position / 32)) break;
    found.common = found.rows == 1 ? common : std::min(found.common, common);
  }
  return found;
}

std::vector<SegmentTask> tasks(std::span<const Segment> segments, Heads heads) {
  constexpr int64_t block_size = 24, queries = 64;
  // Limits the size of a task, so that all threads get some.
  const int64_t each = (std::ssize(segments) * heads.key + 2 * threads() - 1) / (2 * threads());
  const auto most =
      static_cast<size_t>(heads.window > 0 ? 1 : std::clamp(queries / heads.queries_per_key(), int64_t{1}, each));
  std::vector<SegmentTask> all;
  for (; !segments.empty();) {
    const int64_t length = segments[0].length;
    const auto [rows, common] = length == 1 ? prefix_group(segments, most) : PrefixGroup{1, 0};
    for (int64_t i = 0; i < length; i += block_size) {
      for (int64_t h = 0; h < heads.key; ++h)
        all.push_back({segments.first(rows), h, i, std::min(block_size, length - i), common});
    }
    segments = segments.subspan(rows);
  }
  return all;
}

// Appends the pages of a segment in one key head.
void list_pages(const Segment& segment, const float* keys, const float* values, int64_t head, Heads heads,
                std::vector<Page>& to) {
  for (const int32_t page : segment.pages) {
    const int64_t base = page_of(page, head, heads);
    to.push_back(page < 0 ? Page{} : Page{keys + base, values + base});  // -1: before the window, not read
  }
}

}  // namespace

void store(const at::Tensor& k, const at::Tensor& v, const std::vector<Segment>& segments, Heads heads, Cache& cache,
           int64_t layer) {
  float *keys = numbers(cache.keys[static_cast<size_t>(layer)]),
        *values = numbers(cache.values[static_cast<size_t>(layer)]);
  for (const Segment& segment : segments) {
    store(k.const_data_ptr<float>(), v.const_data_ptr<float>(), segment, heads, keys, values);
  }
}

at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const std::vector<Segment>& segments, Heads heads, Cache& cache, int64_t layer) {
  store(k, v, segments, heads, cache, layer);
  return attention_stored(q, segments, heads, cache, layer);
}

at::Tensor last_rows(const std::vector<Segment>& segments) {
  auto rows = at::empty({static_cast<int64_t>(segments.size())}, at::kLong);
  auto* next = rows.mutable_data_ptr<int64_t>();
  for (const Segment& segment : segments) *next++ = segment.start + segment.length - 1;
  return rows;
}

at::Tensor attention_stored(const at::Tensor& q, const std::vector<Segment>& segments, Heads heads, const Cache& cache,
                            int64_t layer) {
  auto y = at::empty_like(q);
  const float *keys = numbers(cache.keys[static_cast<size_t>(layer)]),
              *values = numbers(cache.values[static_cast<size_t>(layer)]);
  const float* query = q.const_data_ptr<float>();
  float* result = y.mutable_data_ptr<float>();
  const auto all = tasks(segments, heads);
  parallel_for(static_cast<int64_t>(all.size()), [&](int64_t i) {
    const SegmentTask& task = all[static_cast<size_t>(i)];
    thread_local std::vector<Page> pages;
    thread_local std::vector<SingleRow> rows;
    pages.clear(), rows.clear();
    for (const Segment& segment : task.segments) list_pages(segment, keys, values, task.head, heads, pages);
    const Page* next = pages.data();
    for (const Segment& segment : task.segments) {
      rows.push_back({segment.start, segment.position, next});
      next += segment.pages.size();
    }
    if (rows.size() > 1) return attend_each(query, rows, task.common, heads, task.head, result, nullptr);
    const Rows part{rows[0].row + task.from, task.rows, rows[0].position + task.from};
    attend(query, pages.data(), part, heads, task.head, result, nullptr);
  });
  return y;
}

}  // namespace compeer::kernels
