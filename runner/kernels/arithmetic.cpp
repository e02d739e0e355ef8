#include "kernels/arithmetic.h"

#include <ATen/ops/add.h>
#include <ATen/ops/index_select.h>

namespace compeer::kernels {

at::Tensor Arithmetic::attention_block(const at::Tensor& x, AttentionBlock& block,
                                       const AttentionContext& place) const {
  TORCH_CHECK(!place.leaves && !place.continues,
              "the libtorch engine can't differentiate a group in parts (micro_tokens); engine = \"exact\" can");
  const auto h = rms_norm(x, block.norm, block.epsilon);
  const auto q = rotate(linear(h, block.q, block.q_bias), place.cosine, place.sine, block.heads.query);
  const auto k = rotate(linear(h, block.k, block.k_bias), place.cosine, place.sine, block.heads.key);
  const auto v = linear(h, block.v, block.v_bias);
  const auto seen = place.cache ? attention_cached(q, k, v, place.segments, block.heads, *place.cache, place.layer)
                                : attention(q, k, v, place.segments, block.heads);
  const auto y = at::add(x, linear(seen, block.o));
  return place.last_only ? at::index_select(y, 0, last_rows(place.segments)) : y;
}

at::Tensor Arithmetic::feed_forward_block(const at::Tensor& x, FeedForwardBlock& block) const {
  const auto h = rms_norm(x, block.norm, block.epsilon);
  return at::add(x, linear(swiglu(linear(h, block.gate), linear(h, block.up)), block.down));
}

}  // namespace compeer::kernels
