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

using record::AdapterConfig;

/// Parses the settings `rank`, `alpha`, `targets`, `rslora`. Throws Error that names the setting.
AdapterConfig adapter_settings(const Settings& settings);

/// Returns the 2-D weights of a model's layers, to which LoRA can be applied.
std::vector<Entry> projections(const TextConfig& config);

/// A LoRA adapter: trainable float32 matrices A [rank, in] and B [out, rank] for each adapted weight W [out, in], in
/// the order of `projections`. The model then multiplies by W + scaling B A.
class Adapter {
 public:
  /// Creates an adapter for the weights that `config.targets` names. A is uniform in +-1 / sqrt(in), as in peft, B is
  /// zero. uniform(i, j) returns the j-th random number in [0, 1) for weight i. Throws Error if a target matches no
  /// weight, or the rank is larger than a side of one.
  Adapter(const TextConfig& model, AdapterConfig config, const std::function<double(uint32_t, uint32_t)>& uniform);

  /// Loads an adapter from a folder in peft's layout. Throws Error (exit 4) that lists all tensors that are missing,
  /// unknown, misshaped or not finite, or if the adapter was trained for a model with another fingerprint.
  /// `fingerprint`: that of this model, "" if unknown.
  Adapter(const TextConfig& model, const std::filesystem::path& folder, const std::string& fingerprint);

  /// The LoRA matrices of one weight.
  struct Change {
    std::string weight;  ///< name of the adapted weight
    Parameter a, b;
  };
  const Change* find(const std::string& weight) const;  ///< null if the weight is not adapted
  const AdapterConfig& config() const { return config_; }
  /// Returns all A and B.
  std::vector<Parameter> parameters() const;
  /// Moves A and B to a device, with the originals in Parameter::host (on_device in decoder.h).
  void move_to(at::Device device);
  /// Sets the folder of the base model, for adapter_config.json.
  void set_base(const std::string& folder) { config_.base = folder; }

  /// Throws Error unless `settings` describe this adapter.
  void check(const TextConfig& model, const AdapterConfig& settings) const;

  /// Writes adapter_config.json and adapter_model.safetensors. The metadata records what the adapter was trained for:
  /// the base's fingerprint (Store::fingerprint) and its setting `precision`.
  void save(const std::filesystem::path& folder, const std::string& fingerprint, const std::string& precision) const;

 private:
  AdapterConfig config_;
  std::vector<Change> changes_;
};

/// Returns the adapter in `folder`, or the one the setting `adapter` asks for (loaded from its `path`, or new); null if
/// there is neither. `fingerprint`: that of the base.
std::unique_ptr<Adapter> open_adapter(const TextConfig& model, const std::filesystem::path& folder,
                                      const Settings& settings, const std::string& fingerprint, Host& host);

/// Returns the setting `precision` of the base that an adapter's folder was trained for; "" if it is not recorded.
/// Throws Error (exit 4) if it is unknown.
std::string trained_over(const std::filesystem::path& folder);

}  // namespace compeer::decoder
