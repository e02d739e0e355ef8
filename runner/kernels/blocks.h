#pragma once
#include <ATen/core/Tensor.h>

#include "kernels/arithmetic.h"

namespace compeer::kernels {

/// The two halves of a decoder block, each as one autograd node. Operations between the matrix products are done in
/// place, or recomputed in the backward pass, and the residual needs no pass over memory of its own. For the backward
/// pass they save x and the outputs of the products, or, for batches of more than `recompute_above_rows` rows, only x
/// (activation checkpointing). `block` must outlive the backward pass. See Arithmetic for what they compute.

at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block, const AttentionContext& context);
at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block, const AttentionContext& context);

}  // namespace compeer::kernels
