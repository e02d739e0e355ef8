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

/// The settings `rank`, `alpha`, `targets`, `rslora`. Throws Error naming the setting.
AdapterConfig adapter_settings(const Settings& settings);

/// A model's projections: the matrices of its layers.
std::vector<Entry> projections(const TextConfig& config);

/// What a frozen model's projections learn instead of themselves: A and B of each that is adapted, trainable float32,
/// in the order of `projections`.
class Adapter {
 public:
  /// Fresh, of projections that settings name: A uniform in +-1 / sqrt(in), as peft begins, and B zero. uniform(i, j)
  /// in [0, 1) is the j-th draw for tensor i.
  Adapter(const TextConfig& model, AdapterConfig config, const std::function<double(uint32_t, uint32_t)>& uniform);

  /// From a folder. Throws Error (exit 4) naming all tensors at once that are missing, belong to no projection of the
  /// model, or have other shapes; and if it was made for a model of other weights (`fingerprint`, "" if unknown).
  Adapter(const TextConfig& model, const std::filesystem::path& folder, const std::string& fingerprint);

  struct Change {
    std::string weight;  ///< its name
    Parameter a, b;
  };
  const Change* find(const std::string& weight) const;  ///< of the weight called so; null: none
  const AdapterConfig& config() const { return config_; }
  std::vector<Parameter> parameters() const;
  void move_to(at::Device device);
  void set_base(const std::string& folder) { config_.base = folder; }

  /// Throws Error unless `settings`, which a run names, are this adapter's.
  void check(const TextConfig& model, const AdapterConfig& settings) const;

  /// adapter_config.json and adapter_model.safetensors, which says what it was trained over: `Store::fingerprint`, and
  /// the setting `precision`.
  void save(const std::filesystem::path& folder, const std::string& fingerprint, const std::string& precision) const;

 private:
  AdapterConfig config_;
  std::vector<Change> changes_;
};

/// What the settings ask for of the model in `folder`, or the adapter that `folder` holds; null if neither is there.
/// `fingerprint`: the base's.
std::unique_ptr<Adapter> open_adapter(const TextConfig& model, const std::filesystem::path& folder,
                                      const Settings& settings, const std::string& fingerprint, Host& host);

/// The setting `precision` of the frozen model that an adapter's folder was trained over; "" if it doesn't say. Throws
/// Error (exit 4) if there is no such precision.
std::string trained_over(const std::filesystem::path& folder);

}  // namespace compeer::decoder
