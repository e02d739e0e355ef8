#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench serve`: requests of many concurrent clients to the server, alternating with the engine's own
/// generation for the same prompts. The model in the folder "model" must never end a completion by itself.
int bench_serve(const nlohmann::json& options);

}  // namespace compeer::bench
