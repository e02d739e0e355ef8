#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench train`, in a worker process: steps of supervised fine-tuning on random tokens, with gradient clipping
/// and AdamW. `options`: {"size": name of a model size, or "model": folder, "batch": sequences per step, "seq": tokens
/// per sequence, "together": sequences per backward pass, "adapter": rank of the adapter to train, "compute", "device",
/// "repeats"}; 0 is the default. Prints tokens per second, the time of each part and peak resident memory as
/// measurements, one JSON object per line. Returns 0.
int bench_train(const nlohmann::json& options);

}  // namespace compeer::bench
