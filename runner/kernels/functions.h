#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "compeer/model.h"
#include "kernels/attention.h"
#include "kernels/weight.h"

namespace compeer::kernels {

/// The kernels as differentiable functions of tensors: float32, contiguous, rows first. A row of every result has the
/// same bits whatever the other rows are (runner/kernels/README.md says why).

/// x [rows, in] -> x W^T + bias [rows, out]; bias may be undefined.
at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias = {});

/// tokens int64 [rows], weight [vocabulary, width] -> [rows, width].
at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight);

/// x [rows, width] -> x / sqrt(mean(x^2) + epsilon) * weight.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// silu(gate) * up.
at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up);

/// x [rows, heads * dim], cosine and sine [rows, dim / 2].
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, int64_t heads);

/// Attention along the tree of segments: q [rows, query heads * dim], k and v [rows, key heads * dim].
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const std::vector<Segment>& segments, Heads heads);

/// The same with a cache, without gradient: stores k and v in the segments' pages of `layer`, then attends to them.
at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const std::vector<Segment>& segments, Heads heads, Cache& cache, int64_t layer);

/// The second half of it: queries of `segments` attend to what is stored.
at::Tensor attention_stored(const at::Tensor& q, const std::vector<Segment>& segments, Heads heads, const Cache& cache,
                            int64_t layer);

/// int64 [segments]: the last row of each.
at::Tensor last_rows(const std::vector<Segment>& segments);

/// Puts the rows of segments where their positions belong: keys [dim][16] and values [16][dim] of each page and head.
void store(const at::Tensor& k, const at::Tensor& v, const std::vector<Segment>& segments, Heads heads, Cache& cache,
           int64_t layer);

/// Attention of every row to all rows of its span. Spans cover the rows in order.
at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const std::vector<RowRange>& spans, Heads heads);

/// hidden [rows, width], target int64 [rows] -> log-probability and entropy [rows] of softmax(hidden W^T /
/// temperature).
struct TokenLogprobs {
  at::Tensor log_prob, entropy;
};
TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target, double temperature,
                             const std::vector<int64_t>& runs = {});

/// hidden W^T [rows, vocabulary], without gradient: for sampling, a few rows at a time.
at::Tensor logits(const at::Tensor& hidden, Weight& head);

/// x / 2 (1 + erf(x / sqrt 2)), differentiable. Each element is made by the same instructions wherever it stands: the
/// library's own takes others for elements that fill no vector.
at::Tensor gelu(const at::Tensor& x);

}  // namespace compeer::kernels
