#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "adapter.h"
#include "compeer/model.h"
#include "config.h"
#include "kernels/arithmetic.h"
#include "rotary.h"
#include "weights.h"

namespace compeer::decoder {

/// Engine, device and precision of a decoder.
struct ComputeOptions {
  ComputeOptions() = default;
  /// Parses the settings `frozen`, `precision`, `compute`, `engine`, `device`, `recompute_above` and, if present,
  /// `rotary_precision`. Other arguments as for WeightStorage. Throws Error if they contradict each other.
  explicit ComputeOptions(const Settings& settings, bool adapted = false, const std::string& stored_as = "");

  const kernels::Arithmetic& arithmetic = kernels::exact();
  WeightStorage storage;
  bool bfloat16_compute =
      false;  ///< the setting `compute` is bfloat16: products take bfloat16 inputs and accumulate in float32
  at::Device device = at::kCPU;                  ///< device of the weights and products
  at::ScalarType rotary_precision = at::kFloat;  ///< kFloat or kBFloat16: precision of the RoPE frequencies
  /// Passes over more tokens than this recompute most activations in the backward pass (activation checkpointing).
  int64_t recompute_above_rows = std::numeric_limits<int64_t>::max();
  /// Frozen weights: returns the memory behind them to the system (Store::release); may be null.
  std::function<void()> release = nullptr;

  /// Returns true for the exact CPU kernels, false for libtorch.
  bool exact() const { return &arithmetic == &kernels::exact(); }
  /// Returns how the kernels store a weight matrix.
  kernels::WeightOptions options(const at::Tensor& matrix) const;
};

/// The text model: from embedded rows to hidden states. Grouped-query attention, full or with a sliding window, RoPE
/// along one or three axes, SwiGLU, RMS norm, tied or untied head, and the differences in Family.
class Decoder {
 public:
  /// `parameters`: as `entries(config)` lists them. Throws what Adapter does.
  Decoder(const TextConfig& config, std::vector<Parameter> parameters, ComputeOptions use = {},
          std::unique_ptr<Adapter> adapter = nullptr);
  Decoder(Decoder&&) = delete;  // autograd graphs hold the addresses of its weights

  ModelShape shape() const;

  /// tokens int64 [rows] -> embeddings [rows, hidden].
  at::Tensor embed(const at::Tensor& tokens) const;

  /// rows [rows, hidden] of `batch` -> hidden states [rows, hidden], to which the head is applied, on the CPU. With a
  /// cache and `batch.last_only`: [segments, hidden]. Appends to `states`, if given, the embedded rows, the output of
  /// each block except the last, and the result.
  at::Tensor forward(at::Tensor rows, const Batch& batch, Cache* cache, std::vector<at::Tensor>* states = nullptr);

  /// Returns the output matrix [vocabulary, hidden], float32 or bfloat16.
  at::Tensor head() const;
  /// Returns the trainable parameters: the adapter's if there is one, otherwise all.
  std::vector<Parameter> parameters() const { return adapter() ? adapter()->parameters() : parameters_; }
  /// Returns the model's own adapter, or null.
  const Adapter* adapter() const { return adapters_.front().get(); }
  /// Loads another adapter for inference and returns its index for Segment::adapter. `fingerprint`: that of the base.
  /// Throws Error if the weights are not frozen, the engine is libtorch, or the adapter does not fit.
  int32_t add_adapter(const std::filesystem::path& folder, const std::string& fingerprint);

  /// Returns the parameters in the form to be saved.
  std::vector<Parameter> stored() const { return use_.storage.stored(parameters_); }
  /// Returns the name of their type in config.json: "float32" or "bfloat16".
  const char* stored_type() const;
  /// To be called after parameters have been changed in place.
  void parameters_changed();

 private:
  struct Layer {
    kernels::AttentionBlock attention;
    kernels::FeedForwardBlock feed_forward;
  };
  void assemble();
  at::Tensor in_blocks(at::Tensor rows) const;
  Layer next_layer(std::vector<Parameter>::const_iterator& next, int64_t window) const;

  TextConfig config_;
  ComputeOptions use_;
  std::vector<Parameter> parameters_;
  std::vector<std::unique_ptr<Adapter>> adapters_;  ///< the first is the model's own, or null
  Rotary rotary_;
  std::vector<Layer> layers_;
  at::Tensor norm_;
};

/// Copies parameters to a device: `value` becomes the copy, `host` the original. With `pairs`, matrices become
/// bfloat16; gradients of trainable ones are float32 nevertheless. Copies of the same frozen tensor are shared, for
/// example by models on one base. Returns the parameters unchanged if the device is the CPU.
std::vector<Parameter> on_device(std::vector<Parameter> parameters, at::Device device, bool pairs);

}  // namespace compeer::decoder
