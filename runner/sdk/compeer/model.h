#pragma once
#include <ATen/core/Tensor.h>

#include <boost/config.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compeer/picture.h"
#include "compeer/weight_format.h"

// Interface of a plugin of the kind "models": the weights and the arithmetic of a language model. The *engine* is the
// part of the program that samples tokens with a KV cache; the *trainer* runs forward and backward passes without one.
// A *row* of a batch is one token; `hidden` is the width of its hidden state. A *placeholder token* marks the position
// of a part of a picture in a token sequence. The *rotary position* of a token is the position that rotary embeddings
// (RoPE) use; it differs from the token's absolute position (its index in the context) after images.

namespace compeer {

/// Vision features of the images and videos in a token sequence. The part of the vision tower that computes them is
/// frozen, so they are computed once (`VisionModel::encode`) and reused in every forward pass over these tokens.
struct VisionFeatures {
  /// float32 [placeholder tokens, any width], in the order of the placeholder tokens. These rows replace the
  /// placeholder embeddings; a model that trains a part of its tower (a merger) stores that part's input here and
  /// applies it in every pass.
  at::Tensor features;
  at::Tensor positions;  ///< int64 [3, tokens]: rotary position of each token along time, height and width
  int64_t next = 0;      ///< rotary position of the token after the sequence
};

/// Consecutive rows of a batch that continue one context, such as the prompt or one completion.
struct Segment {
  int64_t start = 0;     ///< index of its first row in the batch
  int64_t length = 0;    ///< number of rows
  int64_t position = 0;  ///< absolute position of its first token
  /// Training: index in `Batch::segments` of the segment that this one continues (prefix sharing: several
  /// completions continue one prompt); -1: none.
  int64_t parent = -1;
  /// With a cache: indices of its KV-cache pages. Page i holds the keys and values of positions [16 i, 16 i + 16); -1
  /// if that page is no longer needed because it lies outside `ModelShape::window`.
  std::vector<int32_t> pages;
  /// Rotary minus absolute position of its tokens. Negative after images, which advance the rotary position by less
  /// than their number of tokens.
  int64_t rope_offset = 0;
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< features of the images among its own tokens; null: none
  int32_t adapter = 0;  ///< index of the LoRA adapter of its rows (`ManyAdapters`); 0: the model as opened
};

/// Training only: keys and values of a prefix batch, shared by the batches that continue it. The backward pass runs
/// through those batches first and accumulates into `key_gradients` and `value_gradients`; the backward pass of the
/// prefix batch starts from these sums.
struct SharedPrefix {
  std::vector<at::Tensor> keys, values;                    ///< one per layer, float32 [rows, kv_heads * head_dim]
  std::vector<at::Tensor> key_gradients, value_gradients;  ///< same shapes; initially zero
};

/// Input of one forward pass.
struct Batch {
  at::Tensor tokens;              ///< int64 [rows]: token ids
  std::vector<Segment> segments;  ///< cover all rows, in order
  bool last_only = false;         ///< with a cache: `forward` returns only the last row of each segment
  /// Training: float32 [rows, hidden], the result of `TrainableInParts::embed`; undefined: `forward` embeds `tokens`.
  at::Tensor embedded = {};
  /// Training: `forward` stores the keys and values of this batch here; null: it does not.
  std::shared_ptr<SharedPrefix> prefix_out = nullptr;
  /// Training: keys and values of the prefix batch, at positions [0, prefix rows), which all segments without a parent
  /// continue; null: no prefix.
  std::shared_ptr<SharedPrefix> prefix_in = nullptr;
};

/// KV cache in pages of 16 positions. The engine owns the tensors and assigns pages to segments (`Segment::pages`); the
/// model writes and reads them.
struct Cache {
  static constexpr int64_t page = 16;  ///< positions per page
  std::vector<at::Tensor> keys;        ///< per layer, type `ModelShape::compute`: [pages, kv_heads, head_dim, 16]
  std::vector<at::Tensor> values;      ///< per layer, same type: [pages, kv_heads, 16, head_dim]
};

/// Sizes and properties of a model that the engine and the trainer depend on. The *head* is the matrix that turns final
/// hidden states into logits.
struct ModelShape {
  /// Number of layers; width of hidden states; key-value heads per layer; width of a head; number of token ids; maximum
  /// context length in tokens.
  int64_t layers = 0, hidden = 0, kv_heads = 0, head_dim = 0, vocabulary = 0, positions = 0;
  /// True if all weights are exactly representable in bfloat16; the trainer keeps float32 master weights.
  bool bfloat16_weights = false;
  /// True if the program's own exact CPU kernels compute the model: results are bitwise reproducible. False for
  /// libtorch's kernels, where results agree to rounding only.
  bool exact = true;
  /// Sliding window: the largest number of positions that any layer attends to, including the token's own. The engine
  /// frees older pages. 0: unlimited.
  int64_t window = 0;
  /// Storage format of the head in the engine if the head is frozen (not trained); float32: as it is stored in the
  /// file.
  WeightFormat head = WeightFormat::float32;
  /// kBFloat16 if the operands of matrix products, keys and values are rounded to bfloat16; otherwise kFloat.
  at::ScalarType compute = at::kFloat;
  int64_t feed_forward = 0;  ///< largest width of a row inside a layer, for memory estimates; 0: unknown
};

/// One weight tensor of a model.
struct Parameter {
  std::string name;  ///< name in the saved file
  /// The tensor that `forward` uses. If it is trained, an autograd leaf that requires grad: float32 on the host,
  /// possibly bfloat16 on another device.
  at::Tensor value;
  /// If `value` is on another device: the same weights on the host. The optimizer updates this copy (float32) and
  /// `save` writes it. Undefined if `value` is on the host.
  at::Tensor host = {};
};

/// A language model: its weights and its arithmetic. The engine and the trainer own tokens, cache pages, masks,
/// sampling and losses.
///
/// If `ModelShape::exact`, a row of `forward` is bitwise identical whatever else is in the batch, with or without a
/// cache, and for any number of threads. The log-probabilities recorded during sampling are therefore those that the
/// trainer computes.
///
/// Optional capabilities are separate interfaces (VisionModel, TrainableInParts, ManyAdapters, CopiesWeights):
///   class Mine : public compeer::Model, public compeer::VisionModel { ... };
///
/// Threads: calls on one object never overlap. A call may use up to at::get_num_threads threads.
class BOOST_SYMBOL_VISIBLE Model {
 public:
  static constexpr const char* kind = "models";
  virtual ~Model() = default;

  virtual ModelShape shape() const = 0;

  /// Runs a forward pass, with a cache (the engine) or without (null; training). Returns the final hidden states, to
  /// which the head is applied: float32 [rows, hidden] on the host, or [segments, hidden] if `batch.last_only`. Without
  /// a cache, attention follows the tree of segments (`Segment::parent`). With a cache, each segment attends to its
  /// pages, to which the call adds the segment's own keys and values.
  virtual at::Tensor forward(const Batch& batch, Cache* cache) = 0;

  /// For comparison with other implementations. Returns the embedded rows, the output of each layer except the last,
  /// and the result of `forward`, each [rows, hidden]. Empty if the model does not support it.
  virtual std::vector<at::Tensor> hidden_states(const Batch& batch) {
    (void)batch;
    return {};
  }

  /// Returns the output matrix [vocabulary, hidden]: a parameter, possibly the same tensor as the embedding.
  virtual at::Tensor head() = 0;

  /// Returns all parameters, in a fixed order; only the adapter's if an adapter is trained.
  virtual std::vector<Parameter> parameters() = 0;

  /// Called after parameters were changed in place, so that the model can drop copies that it has made of them.
  virtual void parameters_changed() = 0;

  /// Writes the model into an existing folder in Hugging Face format, without the tokenizer: config.json and
  /// model.safetensors, or the adapter's files if an adapter is trained.
  virtual void save(const std::string& folder) = 0;
};

/// Optional interface of a model whose training passes the trainer can split into several smaller ones when a batch
/// would not fit into memory.
class BOOST_SYMBOL_VISIBLE TrainableInParts {
 public:
  virtual ~TrainableInParts() = default;

  /// Returns the input rows of a forward pass, [rows, hidden]: the tokens' embeddings, with vision features in place of
  /// the placeholders'. `Model::forward` then accepts them as `Batch::embedded` and supports `Batch::prefix_out` and
  /// `Batch::prefix_in`.
  virtual at::Tensor embed(const Batch& batch) = 0;
};

/// Optional interface of a model that serves several LoRA adapters over one base. One forward pass may contain segments
/// of the model as opened and of any adapter.
class BOOST_SYMBOL_VISIBLE ManyAdapters {
 public:
  virtual ~ManyAdapters() = default;

  /// Loads the adapter in a folder (peft's layout), for inference only, and returns its index for `Segment::adapter`.
  /// Throws Error (exit code 4: unusable data) if it was trained over another base model.
  virtual int32_t add_adapter(const std::string& folder) = 0;
};

/// Optional interface of a model whose training is faster if it keeps rearranged copies of its weights.
class BOOST_SYMBOL_VISIBLE CopiesWeights {
 public:
  virtual ~CopiesWeights() = default;

  /// Allows (true) or forbids (false, the initial state) the model to keep copies of weights from one matrix product to
  /// the next. The
  /// trainer calls it before the first step, depending on free memory. May apply to all models of the plugin. Results
  /// don't depend on it.
  virtual void keep_copies(bool keep) = 0;
};

/// Optional interface of a model that accepts images and videos.
class BOOST_SYMBOL_VISIBLE VisionModel {
 public:
  virtual ~VisionModel() = default;

  /// Returns the vision features of `tokens`: those of `pictures`, which correspond in order to the groups of
  /// placeholder tokens, and the rotary position of every token. `first` is the rotary position of the first token.
  virtual std::shared_ptr<const VisionFeatures> encode(std::span<const int32_t> tokens, int64_t first,
                                                       const std::vector<Picture>& pictures) = 0;

  /// For comparison with other implementations. Returns intermediate results of the vision tower for `pictures` by the
  /// names that reference files use, the result as "features", and as "kept" what `encode` stores in
  /// `VisionFeatures::features`. With gradients enabled, the map also has the tower's weights that are not parameters,
  /// and the results are differentiable with respect to all weights of the tower. Empty if the model does not support
  /// it.
  virtual std::map<std::string, at::Tensor> intermediate_results(const std::vector<Picture>& pictures) {
    (void)pictures;
    return {};
  }
};

}  // namespace compeer
