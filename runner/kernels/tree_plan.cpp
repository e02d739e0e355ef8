#include "kernels/tree_plan.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace compeer::kernels {

namespace {

constexpr int64_t kRowsAtOnce = 1024;

// [segments, segments]: which each continues, itself among them.
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

// How many segments each part has: all that belong together, and more as long as these are few rows.
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
    if (parts.empty() || rows + more > kRowsAtOnce) parts.push_back(0), rows = 0;
    parts.back() += i + 1 - first;
    rows += more, more = 0, first = i + 1;
  }
  return parts;
}

}  // namespace

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
    for (int64_t begin = 0; begin < rows; begin += kRowsAtOnce) {
      const int64_t end = std::min(rows, begin + kRowsAtOnce);
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
      const int64_t length = mask.size(2) / heads.share();
      const auto own = queries[part].narrow(0, first, length);
      seen.push_back(factors_.attend(own, all(keys[part]), all(values[part]), mask));
      first += length;
    }
  }
  return seen.size() == 1 ? seen.front() : at::cat(seen);
}

}  // namespace compeer::kernels
