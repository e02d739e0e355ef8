#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "compeer/model.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/policy.h"

namespace compeer::inference {

/// How a model is opened.
struct ModelOptions {
  std::filesystem::path folder;              ///< Hugging Face layout; config.json's model_type names the plugin
  std::string precision = "stored";          ///< of the weights: stored, float32, bfloat16, q8_0 or q4_0
  std::string compute = "float32";           ///< what products multiply: float32 or bfloat16
  std::string engine = "exact";              ///< exact or libtorch
  std::string device = "cpu";                ///< that `use_device` gave: cpu or cuda
  bool frozen = true;                        ///< weights are only read
  bool merger = false;                       ///< not frozen: the merger of a tower that sees trains, too
  std::string rotary_precision = "float32";  ///< what rotary frequencies are rounded to: float32 or bfloat16
  int64_t recompute_above = -1;              ///< tokens from which on activations are recomputed; less than 0: never
  int64_t adapter = 0;                       ///< the rank of a fresh adapter of all projections; 0: none
};

/// A model plugin, opened with the settings of `ModelOptions`.
struct OpenModel {
  explicit OpenModel(const ModelOptions& options);
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;

  /// Opens the adapter of a folder beside the model, and gives its number. Throws Error (exit 4) if it doesn't fit.
  int32_t add_adapter(const std::filesystem::path& adapter);

  plugin::Services services;
  std::unique_ptr<plugin::Plugin<Model>> plugin;
  std::unique_ptr<rollout::Policy> policy;
};

}  // namespace compeer::inference
