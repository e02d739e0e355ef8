#include "kernels/arithmetic.h"

#include <ATen/ops/add.h>
#include <ATen/ops/index_select.h>

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

at::Tensor Arithmetic::attention_block(const at::Tensor& x, AttentionBlock& block,
                                       const AttentionContext& place) const {
  TORCH_CHECK(!place.leaves && !place.continues,
              "the libtorch engine can't differentiate a group in parts (micro_tokens); engine = \"exact\" can");
  const auto h = rms_norm(x, block.norm, block.epsilon);
  const auto turned = [&](const at::Tensor& of, const at::Tensor& norm, int64_t heads) {
    const auto by_head = [&] { return rms_norm(of.view({-1, block.heads.dim}), norm, block.epsilon).view(of.sizes()); };
    return rotate(norm.defined() ? by_head() : of, place.cosine, place.sine, heads);
  };
  const auto q = turned(linear(h, block.q, block.q_bias), block.q_norm, block.heads.query);
  const auto k = turned(linear(h, block.k, block.k_bias), block.k_norm, block.heads.key);
  const auto v = linear(h, block.v, block.v_bias);
  const auto seen = place.cache ? attention_cached(q, k, v, place.segments, block.heads, *place.cache, place.layer)
                                : attention(q, k, v, place.segments, block.heads);
  const auto y = at::add(x, linear(seen, block.o));
  return place.last_only ? at::index_select(y, 0, last_rows(place.segments).to(y.device())) : y;
}

at::Tensor Arithmetic::feed_forward_block(const at::Tensor& x, FeedForwardBlock& block, const AttentionContext&) const {
  const auto h = rms_norm(x, block.norm, block.epsilon);
  return at::add(x, linear(swiglu(linear(h, block.gate), linear(h, block.up)), block.down));
}

}  // namespace compeer::kernels
