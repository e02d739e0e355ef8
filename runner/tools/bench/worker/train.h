#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench train`: maximum-likelihood steps on random tokens as in the task `sft` (`together` sequences per leaf
/// of the sum, gradient clipping, AdamW). Prints tokens per second, the time of each part and peak resident memory as
/// measurements, one JSON object per line.
int bench_train(const nlohmann::json& options);

}  // namespace compeer::bench
