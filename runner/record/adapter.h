#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "record/safetensors.h"

/// LoRA adapters in the format of peft: adapter_config.json, and adapter_model.safetensors with two tensors for each
/// adapted weight W [out, in] of the model, A [rank, in] and B [out, rank]. The adapted weight is W + scaling B A.

namespace compeer::record {

/// Contents of adapter_config.json.
struct AdapterConfig {
  int64_t rank = 8;
  double alpha = 16;
  bool rslora = false;               ///< true: scaling is alpha / sqrt(rank); false: alpha / rank
  std::vector<std::string> targets;  ///< target_modules: suffixes of the names of adapted modules, or whole names
  std::string base;                  ///< base_model_name_or_path: the base model

  double scaling() const;  ///< factor of B A
};

constexpr const char* adapter_weights = "adapter_model.safetensors";

/// Reads the adapter_config.json of a folder. Throws Error (exit 4) if it can't be read or requires unsupported
/// features.
AdapterConfig read_adapter_config(const std::filesystem::path& folder);
void write_adapter_config(const AdapterConfig& config, const std::filesystem::path& folder);

/// Names of the LoRA tensors A and B of a weight such as "model.layers.0.self_attn.q_proj.weight".
struct LoraNames {
  std::string a, b;
};
LoraNames lora_names(const std::string& weight);

/// Converts a name of a vision-language model's text weights from the prefix of published files, "model.", to the one
/// that newer programs such as peft use, "model.language_model.".
std::string language_model_name(const std::string& weight);
/// Names of the LoRA tensors as they are in `file`, with either prefix; those of `weight` itself if it has neither.
LoraNames lora_names(const Safetensors& file, const std::string& weight);

/// Merges an adapter into its base model and writes the result to a new folder `out`, atomically. Merged weights are W
/// + scaling B A in the type of W, but float32 if that is F16, whose range may be too small. Tokenizer and chat
/// template are the adapter's if it has them. Throws Error (exit 4) if adapter and base do not match, (exit 2) if `out`
/// exists.
void merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                   const std::filesystem::path& out);

}  // namespace compeer::record
