#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>

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

}  // namespace compeer::inference
