// Builds index tensors and masks for attention with libtorch, once per pass instead of once per layer.
#include "kernels/attention_plans.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

namespace compeer::kernels {

namespace {

// Returns an int64 tensor on the device.
at::Tensor numbers(const std::vector<int64_t>& values, at::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

// Maximum number of pages of keys and values that one attention call gathers.
constexpr size_t most_pages = 4096;

// Groups segments by length, in order, so that the padded pages of a group do not exceed most_pages.
std::vector<std::vector<const Segment*>> portions(const std::vector<Segment>& segments) {
  std::map<int64_t, std::vector<const Segment*>> by_length;
  for (const Segment& s : segments) by_length[s.length].push_back(&s);
  std::vector<std::vector<const Segment*>> all;
  for (const auto& same : by_length) {
    size_t most = 0;
    for (const Segment* s : same.second) {
      const size_t larger = std::max(most, s->pages.size());
      const bool first = s == same.second.front();
      if (first || larger * (all.back().size() + 1) > most_pages) all.emplace_back(), most = 0;
      all.back().push_back(s);
      most = std::max(most, s->pages.size());
    }
  }
  return all;
}

constexpr int64_t rows_at_once = 1024;  // rows per mask, and limit up to which unrelated segments share a part

// Returns a matrix [segments, segments]: 1 if segment i continues segment j directly or indirectly, or is j.
std::vector<uint8_t> continued(const std::vector<Segment>& segments) {
  const size_t n = segments.size();
  std::vector<uint8_t> all(n * n, 0);
  for (size_t i = 0; i < n; ++i) {
    all[i * n + i] = 1;
    for (const Segment* s = &segments[i]; s->parent >= 0;) {
      const auto parent = static_cast<size_t>(s->parent);
      TORCH_CHECK(parent < n && segments[parent].position + segments[parent].length == s->position,
                  "a segment doesn't continue its parent");
      s = &segments[parent];
      all[i * n + parent] = 1;
    }
  }
  return all;
}

// Divides consecutive segments into parts, so that related segments are in the same part. Unrelated segments share a
// part only up to rows_at_once rows. Returns the number of segments of each part.
std::vector<size_t> parts_of(const std::vector<Segment>& segments) {
  std::vector<uint8_t> divides(segments.size() + 1, 1);
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].parent < 0) continue;
    const auto [first, last] = std::minmax({i, static_cast<size_t>(segments[i].parent)});
    std::fill(divides.begin() + static_cast<int64_t>(first) + 1, divides.begin() + static_cast<int64_t>(last) + 1, 0);
  }
  std::vector<size_t> parts;
  int64_t rows = 0, more = 0;
  for (size_t i = 0, first = 0; i < segments.size(); ++i) {
    more += segments[i].length;
    if (!divides[i + 1]) continue;
    if (parts.empty() || rows + more > rows_at_once) parts.push_back(0), rows = 0;
    parts.back() += i + 1 - first;
    rows += more, more = 0, first = i + 1;
  }
  return parts;
}

}  // namespace

PagePlan::PagePlan(const std::vector<Segment>& segments, Heads heads, at::Device device) : factors_(heads, device) {
  std::vector<int64_t> places, order;
  for (const Segment& s : segments) {
    for (int64_t at = s.position; at < s.position + s.length; ++at) {
      places.push_back(s.pages[static_cast<size_t>(at / Cache::page)] * Cache::page + at % Cache::page);
    }
  }
  slot_ = numbers(places, device);
  order.resize(places.size());
  int64_t next = 0;
  for (const auto& all : portions(segments)) {
    add(all, device);
    for (const Segment* s : all) {
      for (int64_t i = 0; i < s->length; ++i) order[static_cast<size_t>(s->start + i)] = next++;
    }
  }
  if (!std::is_sorted(order.begin(), order.end())) order_ = numbers(order, device);
}

// Adds a group. Positions are relative to the first page that is visible to a segment (with a window, the pages
// before it are skipped).
void PagePlan::add(const std::vector<const Segment*>& all, at::Device device) {
  const Heads& heads = factors_.heads;
  const auto gone = [&](const Segment& s) { return static_cast<size_t>(heads.first_seen(s.position) / Cache::page); };
  std::vector<int64_t> rows, pages, first, count;
  size_t most = 0;
  for (const Segment* s : all) most = std::max(most, s->pages.size() - gone(*s));
  const int64_t length = all.front()->length;
  for (const Segment* s : all) {
    const int64_t before = static_cast<int64_t>(gone(*s)) * Cache::page;
    for (int64_t i = 0; i < length; ++i) {
      rows.push_back(s->start + i);
      first.push_back(s->position - before + i);
    }
    count.push_back(s->position + length - before);
    for (size_t i = 0; i < most; ++i) pages.push_back(s->pages[std::min(gone(*s) + i, s->pages.size() - 1)]);
  }
  const auto n = static_cast<int64_t>(all.size()), keys = static_cast<int64_t>(most) * Cache::page;
  const auto key = at::arange(keys, at::TensorOptions(device).dtype(at::kLong));
  const auto query = numbers(first, device).view({n, length, 1});
  auto seen = key <= query;
  if (heads.window > 0) seen = seen & (key > query - heads.window);
  const auto written = key < numbers(count, device).view({n, 1});
  groups_.push_back(
      {n, length, numbers(rows, device), numbers(pages, device), written.view({n, keys, 1, 1}), factors_.mask(seen)});
}

// `pages` is contiguous if the cache was allocated for libtorch, otherwise a view of a cache in the layout of the exact
// kernels.
void PagePlan::store(const at::Tensor& rows, const at::Tensor& pages) const {
  const auto wanted = rows.view({-1, pages.size(2), pages.size(3)}).to(pages.scalar_type());
  if (pages.is_contiguous())
    pages.view({-1, pages.size(2), pages.size(3)}).index_copy_(0, slot_, wanted);
  else
    pages.index_put_({slot_.div(Cache::page, "floor"), slot_.remainder(Cache::page)}, wanted);
}

at::Tensor PagePlan::attend(const at::Tensor& q, const at::Tensor& keys, const at::Tensor& values) const {
  std::vector<at::Tensor> parts;
  for (const SegmentGroup& group : groups_) {
    const bool all = groups_.size() == 1 && !order_.defined();
    parts.push_back(attend(group, all ? q : q.index_select(0, group.rows), keys, values));
  }
  const auto together = parts.size() == 1 ? parts.front() : at::cat(parts);
  return order_.defined() ? together.index_select(0, order_) : together;
}

// Positions that were never written, or belong to another sequence, may be NaN, which a mask does not remove. They are
// replaced by zeros.
at::Tensor PagePlan::attend(const SegmentGroup& group, const at::Tensor& q, const at::Tensor& keys,
                            const at::Tensor& values) const {
  const auto there = [&](const at::Tensor& pages) {
    const auto chosen =
        pages.index_select(0, group.pages).view({group.count, -1, factors_.heads.key, factors_.heads.dim});
    return at::where(group.written, chosen, 0);
  };
  return factors_.attend(q, there(keys), there(values), group.mask);
}

TreePlan::TreePlan(const std::vector<Segment>& segments, Heads heads, at::Device device) : factors_(heads, device) {
  std::vector<int64_t> position, segment;
  for (const Segment& s : segments) {
    for (int64_t i = 0; i < s.length; ++i) {
      position.push_back(s.position + i);
      segment.push_back(&s - segments.data());
    }
  }
  const auto count = static_cast<int64_t>(segments.size());
  const auto continues = at::tensor(continued(segments), at::kByte).view({count, count}).to(device).to(at::kBool);
  const auto at = at::tensor(position, at::kLong).to(device), of = at::tensor(segment, at::kLong).to(device);
  int64_t first = 0;
  auto next = segments.begin();
  for (const size_t together : parts_of(segments)) {
    int64_t rows = 0;
    for (size_t i = 0; i < together; ++i) rows += (next++)->length;
    sizes_.push_back(rows);
    const auto own = at.narrow(0, first, rows), owners = of.narrow(0, first, rows);
    auto& masks = masks_.emplace_back();
    for (int64_t begin = 0; begin < rows; begin += rows_at_once) {
      const int64_t end = std::min(rows, begin + rows_at_once);
      const auto query = own.slice(0, begin, end).unsqueeze(1);
      auto seen = continues.index_select(0, owners.slice(0, begin, end)).index_select(1, owners) & (own <= query);
      if (heads.window > 0) seen = seen & (own > query - heads.window);
      masks.push_back(factors_.mask(seen.unsqueeze(0)));
    }
    first += rows;
  }
}

at::Tensor TreePlan::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
  const Heads& heads = factors_.heads;
  const auto parts = [&](const at::Tensor& rows) { return rows.split_with_sizes(sizes_); };
  const auto queries = parts(q), keys = parts(k), values = parts(v);
  std::vector<at::Tensor> seen;
  for (size_t part = 0; part < sizes_.size(); ++part) {
    const auto all = [&](const at::Tensor& rows) { return rows.view({1, -1, heads.key, heads.dim}); };
    int64_t first = 0;
    for (const at::Tensor& mask : masks_[part]) {
      const int64_t length = mask.size(2) / heads.queries_per_key();
      const auto own = queries[part].narrow(0, first, length);
      seen.push_back(factors_.attend(own, all(keys[part]), all(values[part]), mask));
      first += length;
    }
  }
  return seen.size() == 1 ? seen.front() : at::cat(seen);
}

}  // namespace compeer::kernels
