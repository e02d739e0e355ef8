#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "inference/open_model.h"
#include "rollout/engine.h"

// Options of the commands that run one model without a spec (`compeer generate`, `score`, `chat`, `serve`). The front
// end passes them to the worker as one JSON object from option name to value, which has all keys named here.

namespace compeer::inference {

/// Reads a command's options about the model: "model" (folder), "dtype" (precision of the weights), "compute",
/// "engine", "device". An empty "engine" means exact on the CPU and libtorch on a GPU. Also chooses the device of this
/// process (`use_device_option`).
ModelOptions model_options(const nlohmann::json& options);

/// Reads a command's sampling options: "temperature", "greedy", "top_k", "top_p", "min_p", "repetition_penalty",
/// "max_new", "seed", "ignore_end", and the end tokens of the folder "model". Stop strings are not included: they need
/// a tokenizer.
rollout::Request request_from(const nlohmann::json& options);

/// Returns the ids of the tokens that end a completion of the model in `folder`: eos_token_id, a number or a list, of
/// the folder's generation_config.json, otherwise of generation_config.json or config.json of its base. The base is the
/// folder itself, or the base model if the folder holds a LoRA adapter. Empty if no file has the key. Throws Error
/// (exit code 4: invalid data), naming the file, if the value is neither.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder);

/// The same for the folder of an adapter with base model `base`.
std::vector<int32_t> end_tokens(const std::filesystem::path& folder, const std::filesystem::path& base);

}  // namespace compeer::inference
