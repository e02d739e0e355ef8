#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "inference/open_model.h"
#include "rollout/engine.h"

namespace compeer::inference {

/// What the front end's options (app/model_commands.cpp) say about the model: "model", "dtype", "compute", "engine"
/// ("": exact on the CPU, libtorch elsewhere), "device".
ModelOptions model_options(const nlohmann::json& options);

/// And about sampling: "temperature", "greedy", "top_k", "top_p", "min_p", "repetition_penalty", "max_new", "seed",
/// "ignore_end". Stop strings are left to who has a tokenizer.
rollout::Request request_from(const nlohmann::json& options);

/// The tokens that end what a model says: eos_token_id of generation_config.json, else of config.json, a number or a
/// list; none if neither names any. Throws Error (exit 4) naming the file if it is something else.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder);

/// Those of an adapter's folder over `base`.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder, const std::filesystem::path& base);

}  // namespace compeer::inference
