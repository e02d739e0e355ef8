#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// compeer bench train: steps of maximum likelihood on random tokens, as the task `sft` takes them (each sequence's
/// gradient a leaf of the sum, then clipping and AdamW), of a model of one of the benchmarks' sizes. Prints tokens per
/// second, where the seconds go, and peak resident memory: measurements, one JSON object a line.
int bench_train(const nlohmann::json& options);

}  // namespace compeer::bench
