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

/// What a decoder computes with, and how it keeps its weights.
struct Use {
  Use() = default;
  /// The settings `frozen`, `precision`, `compute` and `engine` of a model, and `rotary_precision` if it has that.
  explicit Use(const Settings& settings, bool adapted = false, const std::string& stored_as = "");

  const kernels::Arithmetic& arithmetic = kernels::exact();
  Keeping keeping;
  bool pairs = false;                            ///< computes in bfloat16 pairs
  at::Device device = at::kCPU;                  ///< where weights are and are multiplied
  at::ScalarType rotary_precision = at::kFloat;  ///< or kBFloat16: of the rotary frequencies
  int64_t most_kept =
      std::numeric_limits<int64_t>::max();  ///< tokens of a pass whose activations are kept for its way back
  std::function<void()> release = nullptr;  ///< frozen: gives the memory behind the parameters back to the system

  bool exact() const { return &arithmetic == &kernels::exact(); }
  kernels::WeightOptions options(const at::Tensor& matrix) const;
};

/// A text stack: embedded rows in, hidden states out. Grouped-query attention, over all that came before or a window
/// of it, rotary positions along one or three axes, SwiGLU, RMS norm, tied or untied head, and what families differ in.
class Decoder {
 public:
  /// `parameters` as `entries(config)` lists them.
  Decoder(const TextConfig& config, std::vector<Parameter> parameters, Use use = {},
          std::unique_ptr<Adapter> adapter = nullptr);
  Decoder(Decoder&&) = delete;  // graphs hold the addresses of its weights

  ModelShape shape() const;

  /// tokens int64 [rows] -> their rows of the embedding [rows, hidden].
  at::Tensor embed(const at::Tensor& tokens) const;

  /// rows [rows, hidden] of `batch` -> hidden states [rows, hidden] that the head is applied to. `states`, if given,
  /// gets the embedded rows, what each block but the last gives, and the result.
  at::Tensor forward(at::Tensor rows, const Batch& batch, Cache* cache, std::vector<at::Tensor>* states = nullptr);

  /// The output matrix [vocabulary, hidden]: float32, or bfloat16 if it is kept so.
  at::Tensor head() const;
  /// The adapter's, if there is one.
  std::vector<Parameter> parameters() const { return adapter() ? adapter()->parameters() : parameters_; }
  const Adapter* adapter() const { return adapters_.front().get(); }
  /// Another one of a folder, for segments that name its number. It doesn't train. `fingerprint` is the base's.
  int32_t add_adapter(const std::filesystem::path& folder, const std::string& fingerprint);

  /// As they are to be saved, and the name of their type in config.json.
  std::vector<Parameter> stored() const { return use_.keeping.stored(parameters_); }
  const char* stored_type() const;
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
  Use use_;
  std::vector<Parameter> parameters_;
  std::vector<std::unique_ptr<Adapter>> adapters_;  ///< the first is the model's own, or null
  Rotary rotary_;
  std::vector<Layer> layers_;
  at::Tensor norm_;
};

/// Parameters of the host as a device keeps them: their `value` is there, and `host` what they were. Matrices are
/// rounded to bfloat16 for `pairs`; the gradients of those that train are float32 all the same. Frozen ones of one
/// tensor share the copy, as models that stand on one base do.
std::vector<Parameter> on_device(std::vector<Parameter> parameters, at::Device device, bool pairs);

}  // namespace compeer::decoder
