#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compeer/host.h"
#include "compeer/model.h"
#include "compeer/settings.h"
#include "config.h"
#include "record/adapter.h"
#include "weights.h"

namespace compeer::decoder {

// LoRA adapters of decoder-only language models: low-rank updates that are trained while the base model's weights are
// frozen. The fingerprint of a base model (a hash of its weights) is stored with an adapter, so that it is not used
// over another model.

using record::AdapterConfig;

/// Parses the settings `rank`, `alpha`, `targets` and `rslora` of the table `adapter`. Throws Error that names the
/// setting.
AdapterConfig adapter_settings(const Settings& settings);

/// Returns names and shapes of the matrices in a model's layers, to which LoRA can be applied.
std::vector<Entry> projections(const TextConfig& config);

/// A LoRA adapter: trainable float32 matrices A [rank, in] and B [out, rank] for each adapted weight W [out, in], in
/// the order of `projections`. The model then multiplies by W + scaling B A.
class Adapter {
 public:
  /// Creates an adapter for the weights that `config.targets` names. A is uniform in +-1 / sqrt(in), as in peft, B is
  /// zero. `uniform(i, j)`: returns the j-th random number in [0, 1) for the i-th adapted weight. Throws Error if a
  /// target matches no weight, or the rank is larger than a side of one.
  Adapter(const TextConfig& model, AdapterConfig config, const std::function<double(uint32_t, uint32_t)>& uniform);

  /// Loads an adapter from a folder in peft's layout. `fingerprint`: that of this model; "": unknown, not checked.
  /// Throws Error (exit code 4: invalid data) that describes all tensors that are missing, unknown, misshaped or not
  /// finite, or if the adapter was trained for a model with another fingerprint.
  Adapter(const TextConfig& model, const std::filesystem::path& folder, const std::string& fingerprint);

  /// The LoRA matrices of one weight.
  struct Change {
    std::string weight;  ///< name of the adapted weight in the model
    Parameter a;         ///< A [rank, in]
    Parameter b;         ///< B [out, rank]
  };
  /// Returns the matrices of the weight with this name, or null if it is not adapted. Valid as long as the adapter.
  const Change* find(const std::string& weight) const;
  const AdapterConfig& config() const { return config_; }
  /// Returns all matrices in the order A, B, A, B, ...
  std::vector<Parameter> parameters() const;
  /// Copies A and B to a device: Parameter::value becomes the copy, Parameter::host the original. Does nothing for the
  /// CPU.
  void move_to(at::Device device);
  /// Sets the folder of the base model, which `save` writes into adapter_config.json.
  void set_base(const std::string& folder) { config_.base = folder; }

  /// Throws Error if `settings` (rank, alpha, rslora or targets) differ from this adapter. `model`: the base model.
  void check(const TextConfig& model, const AdapterConfig& settings) const;

  /// Writes adapter_config.json and adapter_model.safetensors into `folder`. `fingerprint` and `precision`: the base
  /// model's fingerprint and its setting `precision`, which are stored as metadata.
  void save(const std::filesystem::path& folder, const std::string& fingerprint, const std::string& precision) const;

 private:
  AdapterConfig config_;
  std::vector<Change> changes_;  // one for each adapted weight, in the order of `projections`
};

/// Returns the adapter with which a model is to be opened: the one in `folder`, if the folder contains one; otherwise
/// the one that the setting `adapter` describes, loaded from its `path` or new; otherwise null. `model` and
/// `fingerprint`: those of the base model. `host`: source of the random numbers of a new adapter.
std::unique_ptr<Adapter> open_adapter(const TextConfig& model, const std::filesystem::path& folder,
                                      const Settings& settings, const std::string& fingerprint, Host& host);

/// Returns the setting `precision` of the base model with which the adapter in `folder` was trained; "" if it is not
/// recorded. Throws Error (exit code 4) if the recorded value is unknown.
std::string trained_over(const std::filesystem::path& folder);

}  // namespace compeer::decoder
