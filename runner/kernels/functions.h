#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "compeer/model.h"
#include "kernels/attention.h"
#include "kernels/weight.h"

namespace compeer::kernels {

/// The exact kernels as differentiable functions of CPU tensors: float32, contiguous, rows first (a row is one token).
/// A row of a result is bitwise identical for any other rows in the batch, any number of threads and vector width. A
/// segment is a run of consecutive rows that continues the segment `Segment::parent` (training) or the KV-cache pages
/// of its sequence.

/// x [rows, in], W = `weight` [out, in] -> x W^T + bias [rows, out]; bias [out] may be undefined. `weight` must have no
/// LoRA adapters, and outlive the backward pass.
at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias = {});

/// tokens int64 [rows], weight [vocabulary, width] -> [rows, width].
at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight);

/// x [rows, width], weight [width] -> x / sqrt(mean(x^2) + epsilon) * weight, the mean taken over each row.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// Returns silu(gate) * up, element by element.
at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up);

/// Applies rotary positions (RoPE) to each head of x [rows, heads * dim]: rotates the pairs (i, i + dim / 2) by the
/// angles whose cosine and sine [rows, dim / 2] are given.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, int64_t heads);

/// Causal attention in training: each row attends to the rows before it in its segment and in all segments that this
/// one continues. q [rows, query heads * dim], k and v [rows, key heads * dim] -> [rows, query heads * dim].
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const std::vector<Segment>& segments, Heads heads);

/// The same with a KV cache, without gradient: stores k and v in the segments' pages of `layer`, then attends
/// (causally) to the positions in these pages.
at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const std::vector<Segment>& segments, Heads heads, Cache& cache, int64_t layer);

/// The second half of attention_cached: the queries q of `segments` attend to the keys and values in the cache. Shapes
/// as in `attention`, without gradient.
at::Tensor attention_stored(const at::Tensor& q, const std::vector<Segment>& segments, Heads heads, const Cache& cache,
                            int64_t layer);

/// Returns the index in the batch of the last row of each segment: int64 [segments].
at::Tensor last_rows(const std::vector<Segment>& segments);

/// The first half of attention_cached: writes the keys and values k and v [rows, key heads * dim] of the segments to
/// their pages of `layer`. A page of a head has keys [dim][16] and values [16][dim].
void store(const at::Tensor& k, const at::Tensor& v, const std::vector<Segment>& segments, Heads heads, Cache& cache,
           int64_t layer);

/// Non-causal attention of every row to all rows of its span, for vision towers; shapes as in `attention`. The spans
/// cover all rows in order.
at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const std::vector<RowRange>& spans, Heads heads);

/// Log-probability of each row's target token and entropy of each row's distribution, float32 [rows].
struct TokenLogprobs {
  at::Tensor log_prob, entropy;
};
/// hidden [rows, width], W = `head` [vocabulary, width], target int64 [rows] -> log_prob of the target tokens and
/// entropy of softmax(hidden W^T / temperature). Never stores logits [rows, vocabulary]. `runs`: number of rows of each
/// sequence, so that with bfloat16 pairs a sequence's gradient does not depend on the others in the batch (empty: all
/// rows are one sequence).
TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target, double temperature,
                             const std::vector<int64_t>& runs = {});

/// Returns hidden W^T [rows, vocabulary] for W = `head`, without gradient. For sampling, a few rows at a time.
at::Tensor logits(const at::Tensor& hidden, Weight& head);

/// Returns GELU(x), element by element: x / 2 (1 + erf(x / sqrt 2)). All elements are computed by the same
/// instructions, whereas libtorch's GELU computes elements that do not fill a vector differently.
at::Tensor gelu(const at::Tensor& x);

}  // namespace compeer::kernels
