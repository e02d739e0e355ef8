#pragma once
#include <nlohmann/json.hpp>

#include "inference/open_model.h"
#include "rollout/engine.h"

namespace compeer::inference {

/// What the front end's options (app/model_options.h) say about the model: "model", "dtype", "compute", "engine" ("":
/// exact on the CPU, libtorch elsewhere), "device".
ModelOptions model_options(const nlohmann::json& options);

/// And about sampling: "temperature", "greedy", "top_k", "top_p", "min_p", "repetition_penalty", "max_new", "seed",
/// "ignore_end". Stop strings are left to who has a tokenizer.
rollout::Request request_from(const nlohmann::json& options);

}  // namespace compeer::inference
