#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "record/safetensors.h"

/// LoRA adapters in peft's layout: adapter_config.json, and for each changed weight W [out, in] of a model two tensors
/// of adapter_model.safetensors, A [rank, in] and B [out, rank], which mean W + scaling B A.

namespace compeer::record {

struct AdapterConfig {
  int64_t rank = 8;
  double alpha = 16;
  bool rslora = false;               ///< scaling is alpha / sqrt(rank), else alpha / rank
  std::vector<std::string> targets;  ///< target_modules: ends of names of projections, or whole names
  std::string base;                  ///< base_model_name_or_path: the model whose adapter it is

  double scaling() const;
};

constexpr const char* adapter_weights = "adapter_model.safetensors";

/// A folder's adapter_config.json. Throws Error (exit 4) if it can't be read or asks for what is not done here.
AdapterConfig read_adapter_config(const std::filesystem::path& folder);
void write_adapter_config(const AdapterConfig& config, const std::filesystem::path& folder);

/// Names of the tensors that change a weight, such as "model.layers.0.self_attn.q_proj.weight".
struct ChangeNames {
  std::string a, b;
};
ChangeNames change_names(const std::string& weight);

/// In models that see, the text's part is called "model." in published files, and "model.language_model." by newer
/// programs, peft among them: from the one to the other.
std::string newer_name(const std::string& weight);
/// The names that a file has, in whichever of the two ways; those of `weight` itself if it has none.
ChangeNames change_names(const Safetensors& file, const std::string& weight);

/// Writes a whole model to `out`, which must not exist: that of the adapter's `base` with W + scaling B A in the place
/// of the weights that it changes, in the type that they are stored in, and the adapter's own tokenizer where it has
/// one. Whole or not at all. Throws Error (exit 4) if adapter and base don't fit each other.
void merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                   const std::filesystem::path& out);

}  // namespace compeer::record
