#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// Requests of many clients at once to `compeer serve`, beside the engine's own work on the same prompts, in turn.
/// Takes as "model" a folder whose model never ends a completion by itself.
int bench_serve(const nlohmann::json& options);

}  // namespace compeer::bench
