#include "kernels/arithmetic.h"

#include <ATen/ops/neg.h>
#include <ATen/ops/stack.h>

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

const PagePlan& AttentionContext::pages(Heads heads, at::Device device) const {
  return page_plans.try_emplace(heads.window, segments, heads, device).first->second;
}

const TreePlan& AttentionContext::tree(Heads heads, at::Device device) const {
  return tree_plans.try_emplace(heads.window, segments, heads, device).first->second;
}

Turns turns_of(const at::Tensor& cosine, const at::Tensor& sine) {
  return {at::stack({cosine, cosine}, 1).unsqueeze(1), at::stack({at::neg(sine), sine}, 1).unsqueeze(1)};
}

Turns AttentionContext::turns() const {
  if (!doubled.cosine.defined()) doubled = turns_of(cosine, sine);
  return doubled;
}

}  // namespace compeer::kernels
