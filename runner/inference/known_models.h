#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/model.h"

// Sizes of models without loading their weights, for the estimates of memory and time that are shown before a run
// starts. In a script of several runs, a run may begin with a model that an earlier run will write ("planned" run).

namespace compeer::inference {

/// Parameter counts of a decoder, computed from its config.json without its weights. Exact for Llama, Mistral, Qwen2,
/// Qwen3, and Qwen2.5-VL.
struct ModelSize {
  ModelShape shape;       ///< only the sizes; settings chosen when a model is opened have their defaults
  int64_t embedding = 0;  ///< parameters of the embedding, which is also the output head if that is tied
  int64_t head = 0;       ///< parameters of the output head; 0 if tied
  int64_t blocks = 0;     ///< parameters of all layers and the final norm
  /// Sum of the input and output widths of all projections: the parameters of a LoRA adapter of rank 1 on all of them.
  int64_t lora_parameters_per_rank = 0;
  int64_t vision_parameters = 0;  ///< parameters of the vision tower; 0: none
  bool is_16_bit = false;         ///< weight files have 16 bits per parameter

  /// Returns the parameters without the vision tower.
  int64_t text() const { return embedding + head + blocks; }
  /// Returns the parameters that take part in the matrix products of each token.
  int64_t multiplied() const { return blocks + (head > 0 ? head : embedding); }
};

/// Computes the size from the contents of config.json. Throws Error (exit code 4: invalid data), located at `where`, if
/// a required size is missing.
ModelSize model_size(const nlohmann::json& config, const std::string& where);

/// A model that a spec names; its weights may not exist yet.
struct KnownModel {
  ModelSize size;            ///< size of the model without its adapter
  int64_t adapter_rank = 0;  ///< rank of its LoRA adapter; 0: none
  std::string base = {};     ///< folder of its weights, or of its adapter's base; "" for a newly initialized model

  /// Returns the number of parameters of its adapter if that covers all projections, its upper bound otherwise; 0: no
  /// adapter.
  int64_t adapter() const { return adapter_rank * size.lora_parameters_per_rank; }
};

/// Looks up models by settings or folder, including those that planned runs will write.
class KnownModels {
 public:
  /// `planned`: object from the folder of a planned run to the table `model` of its spec. Kept by reference.
  explicit KnownModels(const nlohmann::json& planned) : planned_(planned) {}

  /// Returns the model of a spec's table `model`. Throws Error (exit code 4) if its size can't be determined.
  KnownModel from_table(const nlohmann::json& table) const;
  /// Returns the model in a folder, or in a folder that a planned run will write. Throws like `from_table`.
  KnownModel in_folder(const std::string& folder) const;
  /// Returns the table `model` of the planned run that will write into `folder` or a folder above it; null: none.
  const nlohmann::json* planned(const std::string& folder) const;

 private:
  const nlohmann::json& planned_;
};

}  // namespace compeer::inference
