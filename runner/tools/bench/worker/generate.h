#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench generate`, in a worker process: prefill and decoding speed, the share of the memory bandwidth used,
/// and peak resident memory. Decoding is measured from the first token on, as in other libraries' scripts. `options`:
/// {"size": name of a model size, or "model": folder, "dtype", "compute", "device", "batch": sequences, "group":
/// completions per prompt, "prompt": tokens, "new": tokens, "repeats"}; 0 is the default. Prints measurements, one JSON
/// object per line. Returns 0.
int bench_generate(const nlohmann::json& options);

}  // namespace compeer::bench
