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

// The forward pass of decoder-only language models (Llama, Mistral, Qwen), for training and inference. A frozen model's
// weights are not trained; it may have LoRA adapters.

/// Engine, device and precision of a decoder.
struct ComputeOptions {
  ComputeOptions() = default;
  /// Parses the settings `frozen`, `precision`, `compute`, `engine`, `device`, `recompute_above` and, if present,
  /// `rotary_precision`. `adapted`: the model has a LoRA adapter, so its weights are frozen. `stored_as`: the precision
  /// that `precision` = "stored" means, as recorded with the adapter; "": that of the file. Throws Error if the
  /// settings contradict each other.
  explicit ComputeOptions(const Settings& settings, bool adapted = false, const std::string& stored_as = "");

  const kernels::Arithmetic& arithmetic = kernels::exact();  ///< the engine: kernels::exact() or kernels::libtorch()
  WeightStorage storage;                                     ///< how weights are stored in memory
  /// Matrix products take inputs rounded to bfloat16 and accumulate in float32 (the setting `compute`).
  bool bfloat16_compute = false;
  at::Device device = at::kCPU;                  ///< device of the weights and products
  at::ScalarType rotary_precision = at::kFloat;  ///< kFloat or kBFloat16: precision of the RoPE frequencies
  /// Passes over more tokens than this recompute most activations in the backward pass (activation checkpointing).
  int64_t recompute_above_rows = std::numeric_limits<int64_t>::max();
  /// Frozen weights: gives the memory of their mapped files back to the system; they are read again when needed. May be
  /// null.
  std::function<void()> release = nullptr;

  /// Returns true for the exact CPU kernels, false for libtorch.
  bool exact() const { return &arithmetic == &kernels::exact(); }
  /// Returns how the kernels store the weight `matrix` [out, in].
  kernels::WeightOptions options(const at::Tensor& matrix) const;
};

/// The text model: from embedded rows to hidden states. A row is one token of a batch. Grouped-query attention, full or
/// with a sliding window, RoPE along one or three axes, SwiGLU, RMS norm, tied or untied head, and the differences in
/// Family.
class Decoder {
 public:
  /// `parameters`: the weights in the order of `entries(config)`. `adapter`: the LoRA adapter to be trained or used;
  /// null: none.
  Decoder(const TextConfig& config, std::vector<Parameter> parameters, ComputeOptions use = {},
          std::unique_ptr<Adapter> adapter = nullptr);
  Decoder(Decoder&&) = delete;  // autograd graphs hold the addresses of its weights

  ModelShape shape() const;

  /// tokens int64 [rows] -> embeddings float32 [rows, hidden].
  at::Tensor embed(const at::Tensor& tokens) const;

  /// rows [rows, hidden], the embedded tokens of `batch` -> hidden states [rows, hidden], to which the head is applied,
  /// on the CPU. `cache`: the KV cache; null in training. With a cache and `batch.last_only`: [segments, hidden].
  /// Appends to `states`, if given, the embedded rows, the output of each block except the last, and the result.
  at::Tensor forward(at::Tensor rows, const Batch& batch, Cache* cache, std::vector<at::Tensor>* states = nullptr);

  /// Returns the output matrix [vocabulary, hidden], float32 or bfloat16.
  at::Tensor head() const;
  /// Returns the trainable parameters: the adapter's if there is one, otherwise all.
  std::vector<Parameter> parameters() const { return adapter() ? adapter()->parameters() : parameters_; }
  /// Returns the model's own adapter, or null.
  const Adapter* adapter() const { return adapters_.front().get(); }
  /// Loads another LoRA adapter for inference from `folder` and returns its index for Segment::adapter. `fingerprint`:
  /// the hash of the base model's weights, compared with the one stored in the adapter. Throws Error if the weights are
  /// not frozen, the engine is libtorch, or the adapter does not fit.
  int32_t add_adapter(const std::filesystem::path& folder, const std::string& fingerprint);

  /// Returns the parameters without adapters in the form to be saved: on the host, in bfloat16 if they are trained in
  /// it.
  std::vector<Parameter> stored() const { return use_.storage.stored(parameters_); }
  /// Returns the type of the saved weights as config.json names it: "float32" or "bfloat16".
  const char* stored_type() const;
  /// To be called after parameters have been changed in place.
  void parameters_changed();

 private:
  // The two halves of a decoder block, ready for the kernels.
  struct Layer {
    kernels::AttentionBlock attention;
    kernels::FeedForwardBlock feed_forward;
  };
  // Builds `layers_` and `norm_` from `parameters_` and `adapters_`. Frozen models without an adapter call it at the
  // first forward pass, others in the constructor.
  void assemble();
  // Rounds rows of the embedding, in place, to the quantized format of the weights.
  at::Tensor in_blocks(at::Tensor rows) const;
  // Builds a layer from the parameters from `next` on and advances `next` past them. `window`: 0: full attention.
  Layer next_layer(std::vector<Parameter>::const_iterator& next, int64_t window) const;

  TextConfig config_;
  ComputeOptions use_;
  std::vector<Parameter> parameters_;               // in the order of `entries(config_)`
  std::vector<std::unique_ptr<Adapter>> adapters_;  // by Segment::adapter; the first is the model's own, or null
  Rotary rotary_;
  std::vector<Layer> layers_;  // empty until assembled
  at::Tensor norm_;            // weight of the final RMS norm, [hidden]
};

/// Copies parameters to a device and returns them: Parameter::value becomes the copy, Parameter::host the original.
/// `pairs`: copies of matrices become bfloat16; gradients of trainable ones are float32 nevertheless. Copies of the
/// same frozen tensor are shared, for example by models on one base. Returns the parameters unchanged if the device is
/// the CPU.
std::vector<Parameter> on_device(std::vector<Parameter> parameters, at::Device device, bool pairs);

}  // namespace compeer::decoder
