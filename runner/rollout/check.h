#pragma once
#include "base/error.h"
#include "rollout/engine.h"

namespace compeer::rollout {

/// The length of a prompt with what stands before it. Throws Error (exit 4) naming the prompt if it is empty, has ids
/// outside the vocabulary, or has fewer than `room` positions behind it.
int64_t check(const Prompt& prompt, const ModelShape& shape, int64_t room);

/// A model that computes numbers which are none: its weights are damaged.
Error not_finite(uint32_t prompt);

}  // namespace compeer::rollout
