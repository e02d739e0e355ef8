#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench serve`, in a worker process: tokens per second of the HTTP server with many concurrent clients,
/// alternating with generation by the engine alone for the same prompts. `options`: {"model": folder, "size": its name,
/// "batch": clients, "prompts": requests, "new": tokens per completion, "repeats"}; 0 is the default. The model must
/// never draw its end token. Prints measurements, one JSON object per line. Returns 0.
int bench_serve(const nlohmann::json& options);

}  // namespace compeer::bench
