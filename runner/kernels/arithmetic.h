#pragma once
#include <ATen/core/Tensor.h>

#include <limits>
#include <map>
#include <vector>

#include "compeer/model.h"
#include "kernels/attention_plans.h"
#include "kernels/functions.h"

namespace compeer::kernels {

/// Neighbouring rows that go through one adapter.
struct AdapterRows {
  int32_t adapter;
  int64_t first, count;
};

/// Cosines and sines [rows, 1, 2, dim / 2] for both halves of a head: x turns to x cosine + (x with its halves swapped)
/// sine.
struct Turns {
  at::Tensor cosine, sine;
};
Turns turns_of(const at::Tensor& cosine, const at::Tensor& sine);

/// Where the rows of a batch stand: rotary cosines and sines [rows, dim / 2], the contexts they continue, and, with a
/// cache, which of its layers keeps their keys and values, and whether only the last row of each segment goes on. In
/// training, what they leave for other batches, or continue of one.
struct AttentionContext {
  const at::Tensor &cosine, &sine;
  const std::vector<Segment>& segments;
  Cache* cache = nullptr;
  int64_t layer = 0;
  bool last_only = false;
  std::shared_ptr<Prefix> leaves = nullptr, continues = nullptr;

  std::vector<int64_t> runs() const;  ///< rows of each segment
  /// Of `rows` rows: all of them, or the last of each segment.
  std::vector<AdapterRows> adapters(int64_t rows) const;
  /// With a cache and without, for layers of these heads: made when they are first asked for.
  const PagePlan& pages(Heads heads, at::Device device) const;
  const TreePlan& tree(Heads heads, at::Device device) const;
  Turns turns() const;  ///< made once, too

  mutable std::map<int64_t, PagePlan> page_plans = {};  ///< by window, as far as they were asked for
  mutable std::map<int64_t, TreePlan> tree_plans = {};
  mutable Turns doubled = {};
};

/// The first half of a decoder block. Biases may be undefined, and so may the norms of each query's and key's head.
struct AttentionBlock {
  at::Tensor norm, q_bias, k_bias, v_bias, q_norm, k_norm;
  Weight q, k, v, o;
  Heads heads;
  double epsilon = 1e-6;
  int64_t most_kept = std::numeric_limits<int64_t>::max();  ///< rows whose activations are kept for the way back
};

/// The second half.
struct FeedForwardBlock {
  at::Tensor norm;
  Weight gate, up, down;
  double epsilon = 1e-6;
  int64_t most_kept = std::numeric_limits<int64_t>::max();
};

/// What models, engine and trainer compute with: float32, contiguous, rows first, differentiable unless said otherwise.
/// Two engines do it: `exact`, whose rows have the same bits whatever the other rows are, and `libtorch`, plain tensor
/// operations, equal to the first up to rounding.
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

  /// x [rows, heads * dim], cosine and sine [rows, dim / 2]: pairs (i, i + dim / 2) of every head are turned
  virtual at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine,
                            int64_t heads) const = 0;

  /// Causal attention along the tree of segments: q [rows, query heads * dim], k and v [rows, key heads * dim]
  virtual at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               const std::vector<Segment>& segments, Heads heads) const = 0;

  /// The same with a cache, without gradient: stores k and v in the segments' pages of `layer`, then attends to them
  virtual at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const std::vector<Segment>& segments, Heads heads, Cache& cache,
                                      int64_t layer) const = 0;

  /// Attention of every row to all rows of its span, as a vision tower has it. Spans cover the rows in order.
  virtual at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                     const std::vector<RowRange>& spans, Heads heads) const = 0;

  /// x + o(attention(rotate(q(h)), rotate(k(h)), v(h))) with h = rms_norm(x), for the rows that go on; q(h) and k(h)
  /// are normed head by head first if the block has such norms
  virtual at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block,
                                     const AttentionContext& place) const = 0;

  /// x + down(swiglu(gate(h), up(h))) with h = rms_norm(x)
  virtual at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block,
                                        const AttentionContext& place) const = 0;

  /// hidden [rows, width], target int64 [rows] -> log-probability and entropy [rows] of softmax(hidden W^T /
  /// temperature); nothing of size [rows, vocabulary] is kept. `runs`: how many rows are one sequence's, whose gradient
  /// then doesn't depend on what stands beside it (none: all rows).
  virtual TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target,
                                       double temperature, const std::vector<int64_t>& runs = {}) const = 0;

  /// hidden W^T [rows, vocabulary], without gradient: for sampling, a few rows at a time
  virtual at::Tensor logits(const at::Tensor& hidden, Weight& head) const = 0;
};

const Arithmetic& exact();
const Arithmetic& libtorch();

}  // namespace compeer::kernels
