#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "inference/open_model.h"
#include "rollout/engine.h"

namespace compeer::inference {

/// Reads the model options of a command (app/model_commands.cpp): "model", "dtype", "compute", "engine" ("": exact on
/// the CPU, libtorch on a GPU), "device". Chooses the device of this process (`use_device_option`).
ModelOptions model_options(const nlohmann::json& options);

/// Reads the sampling options of a command: "temperature", "greedy", "top_k", "top_p", "min_p", "repetition_penalty",
/// "max_new", "seed", "ignore_end". Stop strings are not included: they need a tokenizer.
rollout::Request request_from(const nlohmann::json& options);

/// Returns a model's end tokens: eos_token_id, a number or a list, of the folder's generation_config.json, otherwise of
/// its base's generation_config.json or config.json. Empty if none has it. Throws Error (exit 4), naming the file, if
/// it is neither.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder);

/// The same for an adapter's folder whose base is `base`.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder, const std::filesystem::path& base);

}  // namespace compeer::inference
