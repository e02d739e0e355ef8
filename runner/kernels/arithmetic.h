#pragma once
#include <ATen/core/Tensor.h>

#include <limits>
#include <map>
#include <vector>

#include "compeer/model.h"
#include "kernels/attention_plans.h"
#include "kernels/functions.h"

namespace compeer::kernels {

/// Consecutive rows [first, first + count) of a batch that use the same LoRA adapter.
struct AdapterRows {
  int32_t adapter;
  int64_t first, count;
};

/// Rotary cosines and sines [rows, 1, 2, dim / 2] for both halves of a head: RoPE is x * cosine + (x with its halves
/// swapped) * sine.
struct RotaryTables {
  at::Tensor cosine, sine;
};
/// Converts cosines and sines [rows, dim / 2].
RotaryTables make_rotary_tables(const at::Tensor& cosine, const at::Tensor& sine);

/// The context of the rows of a batch in one layer. Refers to tensors and segments that must outlive it.
struct AttentionContext {
  const at::Tensor &cosine, &sine;       ///< rotary positions [rows, dim / 2]
  const std::vector<Segment>& segments;  ///< cover all rows, in order
  Cache* cache = nullptr;                ///< KV cache; null in training
  int64_t layer = 0;                     ///< layer of the cache or of the prefixes
  bool last_only = false;                ///< with a cache: compute only the last row of each segment
  /// Training: the prefix that this batch fills for other batches, and the prefix that its own segments continue.
  std::shared_ptr<SharedPrefix> prefix_out = nullptr, prefix_in = nullptr;

  std::vector<int64_t> runs() const;  ///< number of rows of each segment
  /// Returns the adapters of the rows. `rows` is the number of all rows, or the number of segments for the last row of
  /// each segment.
  std::vector<AdapterRows> adapters(int64_t rows) const;
  /// Return the attention plan for layers with these heads: `pages` with a cache, `tree` without. Built on the first
  /// call for each window.
  const PagePlan& pages(Heads heads, at::Device device) const;
  const TreePlan& tree(Heads heads, at::Device device) const;
  /// Returns the cosines and sines for both halves of a head. Computed on the first call.
  RotaryTables rotary_tables() const;

  mutable std::map<int64_t, PagePlan> page_plans = {};  ///< results of `pages`, by window
  mutable std::map<int64_t, TreePlan> tree_plans = {};  ///< results of `tree`, by window
  mutable RotaryTables cached_rotary_tables = {};       ///< result of `rotary_tables`
};

/// Parameters of the attention half of a decoder block. Biases may be undefined, and so may `q_norm` and `k_norm`,
/// which normalize each head of the queries and keys.
struct AttentionBlock {
  at::Tensor norm, q_bias, k_bias, v_bias, q_norm, k_norm;
  Weight q, k, v, o;
  Heads heads;
  double epsilon = 1e-6;
  /// Activation checkpointing: activations of batches with more rows are recomputed in the backward pass.
  int64_t recompute_above_rows = std::numeric_limits<int64_t>::max();
};

/// Parameters of the feed-forward half of a decoder block.
struct FeedForwardBlock {
  at::Tensor norm;
  Weight gate, up, down;
  double epsilon = 1e-6;
  int64_t recompute_above_rows = std::numeric_limits<int64_t>::max();  ///< as in AttentionBlock
};

/// The operations of models, the rollout engine and the trainer. Tensors are float32, contiguous, rows first; results
/// are differentiable unless stated otherwise. There are two implementations: `exact`, in which a row is bitwise
/// identical for any other rows in the batch, and `libtorch`, plain tensor operations on any device, which agree with
/// `exact` up to rounding.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  /// tokens int64 [rows], weight [vocabulary, width] -> [rows, width]
  virtual at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) const = 0;

  /// x [rows, in] -> x W^T + bias [rows, out]; bias may be undefined
  virtual at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias = {}) const = 0;

  /// x [rows, width] -> x / sqrt(mean(x^2) + epsilon) * weight
  virtual at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const = 0;

  /// silu(gate) * up
  virtual at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) const = 0;

  /// RoPE: rotates the pairs (i, i + dim / 2) of each head of x [rows, heads * dim] by the angles whose cosine and sine
  /// [rows, dim / 2] are given
  virtual at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine,
                            int64_t heads) const = 0;

  /// Causal attention along the tree of segments (Segment::parent): q [rows, query heads * dim], k and v
  /// [rows, key heads * dim] -> [rows, query heads * dim]
  virtual at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               const std::vector<Segment>& segments, Heads heads) const = 0;

  /// The same with a KV cache, without gradient: stores k and v in the segments' pages of `layer`, then attends
  /// (causally) to the positions in these pages
  virtual at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const std::vector<Segment>& segments, Heads heads, Cache& cache,
                                      int64_t layer) const = 0;

  /// Non-causal attention of every row to all rows of its span, for vision towers. The spans cover all rows in order.
  virtual at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const std::vector<RowRange>& spans, Heads heads) const = 0;

  /// x + o(attention(rotate(q(h)), rotate(k(h)), v(h))) with h = rms_norm(x). q(h) and k(h) are first normalized head
  /// by head if the block has q_norm and k_norm. x [rows, width] -> [rows, width], or [segments, width] if
  /// `context.last_only`
  virtual at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block,
                                     const AttentionContext& context) const = 0;

  /// x + down(swiglu(gate(h), up(h))) with h = rms_norm(x)
  virtual at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block,
                                        const AttentionContext& context) const = 0;

  /// hidden [rows, width], target int64 [rows] -> log-probability and entropy [rows] of softmax(hidden W^T /
  /// temperature), on the CPU. Logits are computed in tiles, in bounded memory. `runs`: number of rows of each
  /// sequence, so that a sequence's gradient does not depend on the others in the batch (empty: all rows are one
  /// sequence)
  virtual TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target,
                                       double temperature, const std::vector<int64_t>& runs = {}) const = 0;

  /// hidden W^T [rows, vocabulary], without gradient, on the CPU. For sampling, a few rows at a time
  virtual at::Tensor logits(const at::Tensor& hidden, Weight& head) const = 0;
};

/// The two implementations; valid until the process ends.
const Arithmetic& exact();
const Arithmetic& libtorch();

}  // namespace compeer::kernels
