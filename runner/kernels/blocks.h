#pragma once
#include <ATen/core/Tensor.h>

#include "kernels/arithmetic.h"

namespace compeer::kernels {

/// The two halves of a decoder block with the exact kernels, each as one autograd node. x [rows, width] -> [rows,
/// width]. Operations between the matrix products are done in place, or recomputed in the backward pass, and the
/// residual needs no pass over memory of its own. For the backward pass they save x and the outputs of the products,
/// or, for batches of more than `recompute_above_rows` rows, only x (activation checkpointing). `block` must outlive
/// the backward pass.

/// Returns x + o(attention(rotate(q(h)), rotate(k(h)), v(h))) with h = rms_norm(x), where q(h) and k(h) are first
/// normalized head by head if the block has q_norm and k_norm; [segments, width] if `context.last_only`.
at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block, const AttentionContext& context);
/// Returns x + down(swiglu(gate(h), up(h))) with h = rms_norm(x). `context` gives the LoRA adapters of the rows.
at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block, const AttentionContext& context);

}  // namespace compeer::kernels
