#pragma once
#include <ATen/core/Tensor.h>

#include "kernels/arithmetic.h"

namespace compeer::kernels {

/// The halves of a decoder block as one node of the graph each: what lies between its products is computed in place or
/// again on the way back, and the way around (the residual) costs no pass of its own. Of the forward pass they keep x
/// and what the weights' products give; of more than `most_kept` rows x alone, and the way back computes the rest
/// again.

at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block, const AttentionContext& place);
at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block, const AttentionContext& place);

}  // namespace compeer::kernels
