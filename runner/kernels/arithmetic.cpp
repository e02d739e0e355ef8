#include "kernels/arithmetic.h"

namespace compeer::kernels {

std::vector<int64_t> AttentionContext::runs() const {
  std::vector<int64_t> all;
  for (const Segment& segment : segments) all.push_back(segment.length);
  return all;
}

std::vector<AdapterRows> AttentionContext::adapters(int64_t rows) const {
  const bool one_each = rows == static_cast<int64_t>(segments.size());
  std::vector<AdapterRows> all;
  for (const Segment& segment : segments) {
    if (all.empty() || all.back().adapter != segment.adapter)
      all.push_back({segment.adapter, all.empty() ? 0 : all.back().first + all.back().count, 0});
    all.back().count += one_each ? 1 : segment.length;
  }
  return all;
}

const PagePlan& AttentionContext::plan(int64_t window, at::Device device) const {
  return plans.try_emplace(window, segments, window, device).first->second;
}

}  // namespace compeer::kernels
