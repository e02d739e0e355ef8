#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "config.h"
#include "decoder/weights.h"

namespace compeer::qwen2_5_vl {

/// All weights of a model folder.
struct VlWeights {
  std::vector<Parameter> text;                        ///< as decoder::entries lists them, kept as the settings say
  std::vector<Parameter> tower;                       ///< as tower_entries lists them, frozen
  std::vector<Parameter> merger;                      ///< as merger_entries lists them, kept as text or as the tower
  std::function<void()> release_text, release_tower;  ///< see decoder::Store
  std::string fingerprint;                            ///< of the text's, if they are frozen
};

/// Published names (visual.*, model.*) or those of newer files (model.visual.*, model.language_model.*). All missing,
/// extra and misshaped tensors are named in one Error (exit 4).
VlWeights load(const VlConfig& config, const std::filesystem::path& folder, const decoder::Keeping& keeping,
               bool merger_trains);

/// How the tower is kept: frozen, whatever the rest of the model is. What is stored as bfloat16 stays so in training,
/// where it gives the same products as float32.
decoder::Keeping tower_keeping(const decoder::Keeping& keeping);

}  // namespace compeer::qwen2_5_vl
