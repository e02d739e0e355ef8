#include "kernels/tree_plan.h"

#include <ATen/ATen.h>

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

}  // namespace

TreePlan::TreePlan(const std::vector<Segment>& segments, Heads heads, at::Device device) : factors_(heads, device) {
  std::vector<int64_t> position, segment;
  for (const Segment& s : segments) {
    for (int64_t i = 0; i < s.length; ++i) {
      position.push_back(s.position + i);
      segment.push_back(&s - segments.data());
    }
  }
  const auto count = static_cast<int64_t>(segments.size()), rows = static_cast<int64_t>(position.size());
  const auto continues = at::tensor(continued(segments), at::kByte).view({count, count}).to(device).to(at::kBool);
  const auto at = at::tensor(position, at::kLong).to(device), of = at::tensor(segment, at::kLong).to(device);
  for (int64_t first = 0; first < rows; first += kRowsAtOnce) {
    const int64_t end = std::min(rows, first + kRowsAtOnce);
    const auto query = at.slice(0, first, end).unsqueeze(1);
    auto seen = continues.index_select(0, of.slice(0, first, end)).index_select(1, of) & (at <= query);
    if (heads.window > 0) seen = seen & (at > query - heads.window);
    masks_.push_back(factors_.mask(seen.unsqueeze(0)));
  }
}

at::Tensor TreePlan::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
  const Heads& heads = factors_.heads;
  const auto seen = [&](const at::Tensor& rows) { return rows.view({1, -1, heads.key, heads.dim}); };
  std::vector<at::Tensor> parts;
  int64_t first = 0;
  for (const at::Tensor& mask : masks_) {
    const int64_t length = mask.size(2) / heads.share();
    parts.push_back(factors_.attend(q.narrow(0, first, length), seen(k), seen(v), mask));
    first += length;
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts);
}

}  // namespace compeer::kernels
