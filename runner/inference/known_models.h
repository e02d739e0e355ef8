#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "compeer/model.h"

namespace compeer::inference {

/// How large a decoder is, by what its config.json says: none of its weights need be there. Exact for Llama, Mistral,
/// Qwen2, Qwen3, and Qwen2.5-VL.
struct ModelSize {
  ModelShape shape;       ///< without what a model is opened with
  int64_t embedding = 0;  ///< weights; of the head, too, where there is no other
  int64_t head = 0;       ///< of a head of its own
  int64_t blocks = 0;     ///< of all layers and the last norm
  int64_t sides = 0;      ///< rows and columns of all projections: those of an adapter of rank 1
  int64_t tower = 0;      ///< of the part that sees
  bool half = false;      ///< its files have 16 bits for a weight

  int64_t text() const { return embedding + head + blocks; }
  /// Those that a token is multiplied with.
  int64_t multiplied() const { return blocks + (head > 0 ? head : embedding); }
};

/// Throws Error (exit 4) with `where` if a size is missing.
ModelSize model_size(const nlohmann::json& config, const std::string& where);

/// A model that a spec names, before its weights are there.
struct KnownModel {
  ModelSize size;
  int64_t adapter_rank = 0;  ///< 0: it has none
  std::string base = {};     ///< the folder of its weights, or of those that its adapter changes; "" of a fresh model

  int64_t adapter() const { return adapter_rank * size.sides; }
};

/// Models by their settings and folders. `planned`: a table `model` for each folder that a planned run will make.
class KnownModels {
 public:
  explicit KnownModels(const nlohmann::json& planned) : planned_(planned) {}

  /// Of a spec's table `model`, or a folder. Throws Error (exit 4) if it is none that sizes are known of.
  KnownModel of(const nlohmann::json& table) const;
  KnownModel in(const std::string& folder) const;
  /// The table of the planned run that will make it, or null.
  const nlohmann::json* planned(const std::string& folder) const;

 private:
  const nlohmann::json& planned_;
};

}  // namespace compeer::inference
