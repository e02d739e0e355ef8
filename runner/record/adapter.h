#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "record/safetensors.h"

/// LoRA adapters in the format of peft: adapter_config.json, and adapter_model.safetensors with two tensors for each
/// adapted weight W [out, in] of the model, A [rank, in] and B [out, rank]. The adapted weight is W + scaling * B A.
/// Used when an adapter is trained, saved, loaded or merged into its base model.
namespace compeer::record {

/// Contents of adapter_config.json.
struct AdapterConfig {
  int64_t rank = 8;                  ///< `r`: rank of B A, at least 1
  double alpha = 16;                 ///< `lora_alpha`: determines the scaling of B A
  bool rslora = false;               ///< `use_rslora`: true: scaling is alpha / sqrt(rank); false: alpha / rank
  std::vector<std::string> targets;  ///< `target_modules`: suffixes of the names of adapted modules, or whole names
  std::string base;                  ///< `base_model_name_or_path`: folder or Hub name of the base model; may be empty

  double scaling() const;  ///< factor of B A, by rank, alpha and rslora
};

constexpr const char* adapter_weights = "adapter_model.safetensors";  ///< name of the file of LoRA tensors

/// Reads adapter_config.json of an adapter's folder. Throws Error (exit code 4: invalid data) if it can't be read or
/// requires unsupported features.
AdapterConfig read_adapter_config(const std::filesystem::path& folder);
/// Writes adapter_config.json into `folder`, atomically.
void write_adapter_config(const AdapterConfig& config, const std::filesystem::path& folder);

/// Names of the LoRA tensors A and B of one adapted weight.
struct LoraNames {
  std::string a, b;  ///< "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", and the same with lora_B
};
/// Returns the names of the LoRA tensors of a weight such as "model.layers.0.self_attn.q_proj.weight".
LoraNames lora_names(const std::string& weight);

/// Converts a name of a vision-language model's text weights from the prefix of published files, "model.", to the one
/// that newer programs such as peft use, "model.language_model.". Names that have the latter are unchanged.
std::string language_model_name(const std::string& weight);
/// Returns the names of the LoRA tensors of `weight` that `file` contains: for `weight` as given, or with either prefix
/// of language_model_name(). If `file` contains none of these, returns lora_names(weight).
LoraNames lora_names(const Safetensors& file, const std::string& weight);

/// Merges an adapter into its base model and writes the result, a complete model folder, to a new folder `out`,
/// atomically. `base`, `adapter`: their folders. Merged weights are W + scaling * B A in the type of W, but float32 if
/// that is F16, because its range may be too small. Configuration, tokenizer and chat template are the adapter's if it
/// has them, otherwise the base's. Throws Error (exit code 4) if adapter and base do not match, (exit code 2: wrong
/// usage) if `out` exists.
void merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                   const std::filesystem::path& out);

}  // namespace compeer::record
