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

namespace compeer {

/// What a model sees of the pictures among some tokens. What looks at them is frozen: this is computed once and kept
/// with the tokens, for every forward pass over them.
struct VisionFeatures {
  at::Tensor features;  ///< float32 [placeholder tokens, any width], in order: what stands instead of their embeddings,
                        ///< or what a part of the model that trains makes that of in every pass
  at::Tensor positions;  ///< int64 [3, tokens]: rotary positions (time, height, width) of these tokens
  int64_t next = 0;      ///< the rotary position of the token that follows
};

/// A run of tokens that stand together in a batch and continue one context.
struct Segment {
  int64_t start = 0;           ///< its first row in the batch
  int64_t length = 0;          ///< rows
  int64_t position = 0;        ///< absolute position of its first token
  int64_t parent = -1;         ///< training: the segment of this batch that comes before it (-1: none)
  std::vector<int32_t> pages;  ///< with a cache: page i holds the keys and values of positions [16 i, 16 i + 16); -1
                               ///< where the window of `ModelShape` has passed it
  int64_t shift = 0;  ///< rotary position less absolute position: pictures further up take fewer than they have
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< of the pictures among its own tokens; null: none
  int32_t adapter = 0;  ///< its rows go through this one (`ManyAdapters`); 0: the model as it was opened
};

/// In training: keys and values of a batch, for other batches that continue its rows. These are differentiated first,
/// and bring back what the batch's own keys and values are to blame for.
struct Prefix {
  std::vector<at::Tensor> keys, values;                    ///< per layer: float32 [rows, kv_heads * head_dim]
  std::vector<at::Tensor> key_gradients, value_gradients;  ///< of the same shapes, zeros at first
};

/// What one forward pass computes. Segments cover all rows, in order.
struct Batch {
  at::Tensor tokens;  ///< int64 [rows]
  std::vector<Segment> segments;
  bool last_only = false;    ///< with a cache: of each segment only the last row's hidden state is asked for
  at::Tensor embedded = {};  ///< training: what `embed` gave; undefined: the tokens are embedded
  std::shared_ptr<Prefix> leaves = nullptr;  ///< training: to be filled
  std::shared_ptr<Prefix> continues =
      nullptr;  ///< training: its rows are positions [0, rows) of segments without a parent
};

/// Keys and values of positions seen so far, in pages of 16 positions. The engine owns it and says which pages a
/// segment uses; the model fills and reads them.
struct Cache {
  static constexpr int64_t page = 16;
  std::vector<at::Tensor> keys;    ///< per layer, in `ModelShape::compute`: [pages, kv_heads, head_dim, 16]
  std::vector<at::Tensor> values;  ///< [pages, kv_heads, 16, head_dim]
};

/// Sizes the engine needs to know.
struct ModelShape {
  int64_t layers = 0, hidden = 0, kv_heads = 0, head_dim = 0, vocabulary = 0, positions = 0;
  bool rounded = false;  ///< its weights are numbers that bfloat16 holds; the trainer keeps masters in float32
  bool exact = true;     ///< computed by the exact kernels; else by libtorch, and log-probs agree to rounding only
  int64_t window = 0;    ///< no layer sees more positions, the own one included: the engine forgets others; 0: all
  WeightFormat head = WeightFormat::float32;  ///< how the engine keeps a frozen head; float32: as it is stored
  at::ScalarType compute = at::kFloat;        ///< kBFloat16: what products multiply, keys and values is rounded to it
  int64_t feed_forward = 0;                   ///< the widest row inside a layer, for estimates of memory; 0: unknown
};

struct Parameter {
  std::string name;      ///< as in the saved file
  at::Tensor value;      ///< a leaf that requires grad: float32, or what a device multiplies
  at::Tensor host = {};  ///< of a value elsewhere: the same in float32 on the host, which learns and is saved
};

/// Weights and arithmetic; the engine and the trainer own tokens, pages, masks, sampling, losses.
/// A row of `forward` has the same bits whatever else is in the batch, cached or not, on any number of threads:
/// log-probs recorded while sampling are those the trainer computes.
///
/// A model that can do more derives from VisionModel, TrainableInParts, ManyAdapters or CopiesWeights as well:
///   class Mine : public compeer::Model, public compeer::VisionModel { ... };
///
/// Threads: one thread calls an object at a time. It may compute with several of its own, at most at::get_num_threads.
class BOOST_SYMBOL_VISIBLE Model {
 public:
  static constexpr const char* kind = "models";
  virtual ~Model() = default;

  virtual ModelShape shape() const = 0;

  /// Hidden states [rows, hidden] that the head is applied to. Without a cache, attention follows the tree of
  /// segments; with one, each segment continues its pages and adds its own keys and values to them. [segments, hidden]
  /// if only the last row of each is asked for.
  virtual at::Tensor forward(const Batch& batch, Cache* cache) = 0;

  /// For comparison with other implementations: the embedded rows, what each block but the last gives, and what
  /// `forward` gives. None if the model does not tell.
  virtual std::vector<at::Tensor> hidden_states(const Batch& batch) {
    (void)batch;
    return {};
  }

  /// The output matrix [vocabulary, hidden]; a parameter, possibly the embedding itself.
  virtual at::Tensor head() = 0;

  /// All parameters, in a fixed order.
  virtual std::vector<Parameter> parameters() = 0;

  /// Call after parameters were changed in place.
  virtual void parameters_changed() = 0;

  /// Writes config.json and model.safetensors, a Hugging Face directory less its tokenizer, into an existing folder.
  virtual void save(const std::string& folder) = 0;
};

/// A model that can be trained in parts when a batch would not fit into memory.
class BOOST_SYMBOL_VISIBLE TrainableInParts {
 public:
  virtual ~TrainableInParts() = default;

  /// The rows that a forward pass begins with [rows, hidden]: the tokens' embeddings, or what is seen of pictures.
  /// `Model::forward` then takes them as `Batch::embedded`, and keeps `Batch::leaves` and `Batch::continues`.
  virtual at::Tensor embed(const Batch& batch) = 0;
};

/// A model that can be several at once: as it was opened, and with the low-rank changes of other folders over the same
/// base. Segments of any of them go through one forward pass.
class BOOST_SYMBOL_VISIBLE ManyAdapters {
 public:
  virtual ~ManyAdapters() = default;

  /// Adds the adapter of a folder, in peft's layout, to use it, and gives its number for `Segment::adapter`. Throws
  /// Error (exit 4) if it was made for another base.
  virtual int32_t add_adapter(const std::string& folder) = 0;
};

/// A model that trains faster if it may keep copies of its weights.
class BOOST_SYMBOL_VISIBLE CopiesWeights {
 public:
  virtual ~CopiesWeights() = default;

  /// Allows (true) or forbids (false, the initial state) keeping copies of weights between products and updates. The
  /// trainer calls it before the first step, as memory allows. May apply to all models of the plugin. Results don't
  /// depend on it.
  virtual void keep_copies(bool keep) = 0;
};

/// A model that sees pictures.
class BOOST_SYMBOL_VISIBLE VisionModel {
 public:
  virtual ~VisionModel() = default;

  /// What it sees of `pictures`, whose placeholders stand in `tokens` in this order; `first` is the rotary position of
  /// the first token.
  virtual std::shared_ptr<const VisionFeatures> look(std::span<const int32_t> tokens, int64_t first,
                                                     const std::vector<Picture>& pictures) = 0;

  /// What it computes on the way to its features of `pictures`, and these, by the names that reference files use, for
  /// comparison with other implementations; `kept` is what `look` keeps of them. With gradients enabled they lead back
  /// to the tower's weights, which are then among the results unless they are parameters. None if the model does not
  /// tell.
  virtual std::map<std::string, at::Tensor> look_closely(const std::vector<Picture>& pictures) {
    (void)pictures;
    return {};
  }
};

}  // namespace compeer
