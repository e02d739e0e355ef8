#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "compeer/model.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/policy.h"

// Opens one model folder for a command without a spec, such as `compeer generate`, `chat`, `serve` or a benchmark.

namespace compeer::inference {

/// Settings to open a model with.
struct ModelOptions {
  std::filesystem::path folder;              ///< Hugging Face layout; config.json's model_type names the model plugin
  std::string precision = "stored";          ///< weights in memory: stored (as in the files), float32, bfloat16, q8_0
                                             ///< or q4_0
  std::string compute = "float32";           ///< operands of matrix products: float32 or bfloat16
  std::string engine = "exact";              ///< kernels: exact (bitwise reproducible) or libtorch
  std::string device = "cpu";                ///< result of `use_device`: cpu or cuda
  bool frozen = true;                        ///< inference only: weights are not trained
  bool merger = false;                       ///< if not frozen: also train the merger of the vision tower
  std::string rotary_precision = "float32";  ///< precision of rotary frequencies: float32 or bfloat16
  int64_t recompute_above = -1;  ///< activation checkpointing for batches with more tokens than this; negative: never
  int64_t adapter = 0;           ///< rank of a new LoRA adapter on all projections, with alpha = 2 * rank; 0: none
};

/// A model plugin, opened with the settings of `ModelOptions`, and its policy.
struct OpenModel {
  /// Throws Error if the folder or the plugin can't be used.
  explicit OpenModel(const ModelOptions& options);
  OpenModel(const OpenModel&) = delete;
  OpenModel& operator=(const OpenModel&) = delete;

  /// Loads a LoRA adapter over the same base and returns its number for `Segment::adapter` and `Prompt::adapter`.
  /// Throws Error (exit code 4: invalid data) if it was made for another base.
  int32_t add_adapter(const std::filesystem::path& adapter);

  plugin::Services services;                      ///< host services of the plugin, as `command_services` returns them
  std::unique_ptr<plugin::Plugin<Model>> plugin;  ///< the open plugin; never null
  std::unique_ptr<rollout::Policy> policy;        ///< model and output head for rollout::Engine; never null
};

}  // namespace compeer::inference
