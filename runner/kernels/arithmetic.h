#pragma once
#include <ATen/core/Tensor.h>

#include <limits>
#include <map>
#include <vector>

#include "compeer/model.h"
#include "kernels/attention_plans.h"
#include "kernels/functions.h"

// The interface through which models, the rollout engine and the trainer compute, with its two implementations `exact`
// and `libtorch`. A row is one token of a batch. A segment is a run of consecutive rows that continues one context: the
// KV-cache pages of its sequence, or, in training, its parent segment (`Segment::parent`), so that several completions
// share one computation of their prompt.

namespace compeer::kernels {

/// Consecutive rows [first, first + count) of a batch that use the same LoRA adapter.
struct AdapterRows {
  int32_t adapter;  ///< index of the adapter; 0: the model as opened
  int64_t first, count;
};

/// Rotary cosines and sines [rows, 1, 2, dim / 2] for both halves of a head, the sines of the first half negated: RoPE
/// is x * cosine + (x with its halves swapped) * sine, where x is [rows, heads, 2, dim / 2].
struct RotaryTables {
  at::Tensor cosine, sine;
};
/// Makes the tables from cosines and sines of the rotary angles [rows, dim / 2].
RotaryTables make_rotary_tables(const at::Tensor& cosine, const at::Tensor& sine);

/// The positions that the rows of a batch attend to in one layer. Refers to tensors and segments that must outlive it.
struct AttentionContext {
  const at::Tensor &cosine, &sine;       ///< cosines and sines of the rotary angles of each row [rows, dim / 2]
  const std::vector<Segment>& segments;  ///< cover all rows, in order
  Cache* cache = nullptr;                ///< KV cache; null in training
  int64_t layer = 0;                     ///< index of the layer in `cache`, `prefix_out` and `prefix_in`
  bool last_only = false;                ///< with a cache: compute only the last row of each segment
  /// Training: keys and values that this batch stores for batches that continue it, and those of the batch that its own
  /// segments without a parent continue; null: none.
  std::shared_ptr<SharedPrefix> prefix_out = nullptr, prefix_in = nullptr;

  std::vector<int64_t> runs() const;  ///< number of rows of each segment
  /// Returns the LoRA adapter of each run of rows. `rows` is the number of all rows, or the number of segments to get
  /// the adapters of the last rows of the segments.
  std::vector<AdapterRows> adapters(int64_t rows) const;
  /// Return the attention plan (index tensors and masks for libtorch, on `device`) for layers with these heads: `pages`
  /// with a cache, `tree` without. Built on the first call for each attention window, the only property of `heads` that
  /// may differ between calls.
  const PagePlan& pages(Heads heads, at::Device device) const;
  const TreePlan& tree(Heads heads, at::Device device) const;
  /// Returns `cosine` and `sine` as tables for both halves of a head. Computed on the first call.
  RotaryTables rotary_tables() const;

  mutable std::map<int64_t, PagePlan> page_plans = {};  ///< results of `pages`, by `Heads::window`
  mutable std::map<int64_t, TreePlan> tree_plans = {};  ///< results of `tree`, by `Heads::window`
  mutable RotaryTables cached_rotary_tables = {};       ///< result of `rotary_tables`
};

/// Parameters of the attention half of a decoder block.
struct AttentionBlock {
  /// RMS norm weight [width] before the projections; biases of the projections, may be undefined; weights [dim] of the
  /// RMS norms of each query and key head, may be undefined (no norm).
  at::Tensor norm, q_bias, k_bias, v_bias, q_norm, k_norm;
  Weight q, k, v, o;  ///< projections to queries, keys and values, and of the attention's result (output)
  Heads heads;
  double epsilon = 1e-6;  ///< term added to the mean square in all RMS norms
  /// Activation checkpointing: in batches with more rows than this, activations are recomputed in the backward pass.
  int64_t recompute_above_rows = std::numeric_limits<int64_t>::max();
};

/// Parameters of the feed-forward half of a decoder block.
struct FeedForwardBlock {
  at::Tensor norm;        ///< RMS norm weight [width] before the projections
  Weight gate, up, down;  ///< the three matrices of SwiGLU
  double epsilon = 1e-6;  ///< term added to the mean square in the RMS norm
  int64_t recompute_above_rows = std::numeric_limits<int64_t>::max();  ///< as in AttentionBlock
};

/// The operations of models, the rollout engine and the trainer. Tensors are float32, contiguous, rows first; `width`
/// is the hidden size. Results are differentiable unless stated otherwise. There are two implementations: `exact`, in
/// which a row of a result is bitwise identical for any other rows in the batch, and `libtorch`, plain tensor
/// operations on any device, which agree with `exact` up to rounding.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  /// tokens int64 [rows], weight [vocabulary, width] -> [rows, width]
  virtual at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) const = 0;

  /// x [rows, in], W = `weight` [out, in] -> x W^T + bias [rows, out]; bias [out] may be undefined
  virtual at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias = {}) const = 0;

  /// x [rows, width], weight [width] -> x / sqrt(mean(x^2) + epsilon) * weight, the mean taken over each row
  virtual at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const = 0;

  /// Returns silu(gate) * up, element by element
  virtual at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) const = 0;

  /// RoPE: rotates the pairs (i, i + dim / 2) of each head of x [rows, heads * dim] by the angles whose cosine and sine
  /// [rows, dim / 2] are given
  virtual at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine,
                            int64_t heads) const = 0;

  /// Causal attention in training: each row attends to the rows before it in its segment and in all segments that this
  /// one continues (`Segment::parent`). q [rows, query heads * dim], k and v [rows, key heads * dim] -> [rows, query
  /// heads * dim]
  virtual at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               const std::vector<Segment>& segments, Heads heads) const = 0;

  /// The same with a KV cache, without gradient: stores k and v in the segments' pages of `layer`, then attends
  /// (causally) to the positions in these pages
  virtual at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const std::vector<Segment>& segments, Heads heads, Cache& cache,
                                      int64_t layer) const = 0;

  /// Non-causal attention of every row to all rows of its span, for vision towers; shapes as in `attention`. The spans
  /// cover all rows in order.
  virtual at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const std::vector<RowRange>& spans, Heads heads) const = 0;

  /// x + o(attention(rotate(q(h)), rotate(k(h)), v(h))) with h = rms_norm(x). q(h) and k(h) are first normalized head
  /// by head if the block has q_norm and k_norm. x [rows, width] -> [rows, width], or [segments, width] if
  /// `context.last_only`
  virtual at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block,
                                     const AttentionContext& context) const = 0;

  /// x + down(swiglu(gate(h), up(h))) with h = rms_norm(x); x [rows, width] -> [rows, width]. `context` gives the LoRA
  /// adapters of the rows
  virtual at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block,
                                        const AttentionContext& context) const = 0;

  /// hidden [rows, width], W = `head` [vocabulary, width], target int64 [rows] -> per row, the log-probability of the
  /// target token and the entropy of softmax(hidden W^T / temperature), [rows] on the CPU. Logits are computed in
  /// tiles, in bounded memory. `runs`: number of rows of each sequence, so that a sequence's gradient does not depend
  /// on the others in the batch (empty: all rows are one sequence)
  virtual TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target,
                                       double temperature, const std::vector<int64_t>& runs = {}) const = 0;

  /// Returns hidden W^T [rows, vocabulary] for W = `head`, without gradient, on the CPU. For sampling, a few rows at a
  /// time
  virtual at::Tensor logits(const at::Tensor& hidden, Weight& head) const = 0;
};

/// The two implementations; valid until the process ends.
const Arithmetic& exact();
const Arithmetic& libtorch();

}  // namespace compeer::kernels
