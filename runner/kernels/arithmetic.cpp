// The engine `exact`, which calls the kernels of functions.h and blocks.h, and the context of a batch.
#include "kernels/arithmetic.h"

#include <ATen/ops/neg.h>
#include <ATen/ops/stack.h>

#include "kernels/blocks.h"

namespace compeer::kernels {

namespace {

class Exact : public Arithmetic {
 public:
  at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) const override {
    return kernels::embedding(tokens, weight);
  }
  at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias) const override {
    return kernels::linear(x, weight, bias);
  }
  at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const override {
    return kernels::rms_norm(x, weight, epsilon);
  }
  at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) const override { return kernels::swiglu(gate, up); }
  at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine,
                    int64_t heads) const override {
    return kernels::rotate(x, cosine, sine, heads);
  }
  at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                       const std::vector<Segment>& segments, Heads heads) const override {
    return kernels::attention(q, k, v, segments, heads);
  }
  at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const std::vector<Segment>& segments, Heads heads, Cache& cache,
                              int64_t layer) const override {
    return kernels::attention_cached(q, k, v, segments, heads, cache, layer);
  }
  at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const std::vector<RowRange>& spans, Heads heads) const override {
    return kernels::attention_spans(q, k, v, spans, heads);
  }
  at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block,
                             const AttentionContext& context) const override {
    return kernels::attention_block(x, block, context);
  }
  at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block,
                                const AttentionContext& context) const override {
    return kernels::feed_forward_block(x, block, context);
  }
  TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target, double temperature,
                               const std::vector<int64_t>& runs) const override {
    return kernels::token_logprobs(hidden, head, target, temperature, runs);
  }
  at::Tensor logits(const at::Tensor& hidden, Weight& head) const override { return kernels::logits(hidden, head); }
};

}  // namespace

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

RotaryTables make_rotary_tables(const at::Tensor& cosine, const at::Tensor& sine) {
  return {at::stack({cosine, cosine}, 1).unsqueeze(1), at::stack({at::neg(sine), sine}, 1).unsqueeze(1)};
}

RotaryTables AttentionContext::rotary_tables() const {
  if (!cached_rotary_tables.cosine.defined()) cached_rotary_tables = make_rotary_tables(cosine, sine);
  return cached_rotary_tables;
}

const Arithmetic& exact() {
  static const Exact arithmetic;
  return arithmetic;
}

}  // namespace compeer::kernels
