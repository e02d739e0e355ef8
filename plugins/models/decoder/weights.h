#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compeer/model.h"
#include "compeer/settings.h"
#include "config.h"
#include "record/safetensors.h"

namespace compeer::decoder {

/// Names and shapes of all parameters, in the order in which they are kept.
struct Entry {
  std::string name;
  std::vector<int64_t> shape;
};
std::vector<Entry> entries(const TextConfig& config);

/// "[2, 3]", for messages.
std::string shape_text(const std::vector<int64_t>& shape);

/// Tensors that do not fit a model, for an error message. One tensor of each kind is shown: a model of another size
/// has hundreds of them.
class Misfits {
 public:
  void missing(const std::string& name, const std::vector<int64_t>& shape);
  void unexpected(const std::string& name);
  void not_finite(const std::string& name);
  /// Notes a tensor whose shape or type is not the expected one.
  void check(const std::string& name, const record::TensorView& view, const std::vector<int64_t>& shape);

  bool empty() const { return kinds_.empty(); }
  /// A line for each kind, each after a line end: "\n  missing a.weight [2, 3], and 12 more".
  std::string text() const;

 private:
  void add(const std::string& kind, const std::string& tensor);

  struct Kind {
    std::string name, first;
    size_t count = 1;
  };
  std::vector<Kind> kinds_;
};

/// The type that weights of safetensors' `dtype` come in; Undefined: none that is read.
at::ScalarType type_of(const std::string& dtype);

/// How weights are kept: the settings `frozen` and `precision`.
struct Keeping {
  Keeping() = default;
  /// `adapted`: an adapter trains, the weights don't. `stored_as`: what "stored" means, if a file says so. Throws if
  /// the settings contradict each other.
  explicit Keeping(const Settings& settings, bool adapted = false, const std::string& stored_as = "");

  /// Throws Error (exit 4) if the adapter in `folder` was trained over weights that were kept as `trained_over` says,
  /// and these are not, though nothing was asked for.
  void check(const std::filesystem::path& folder, const std::string& trained_over) const;

  bool frozen = false;  ///< only read
  bool asked = false;   ///< the setting names a precision
  bool plain = false;   ///< products read frozen matrices as they are, not a rearranged copy: the libtorch engine
  std::string precision =
      "float32";  ///< of frozen matrices: stored, float32, bfloat16, q8_0, q4_0; of trained ones: float32 or bfloat16

  WeightFormat format() const;  ///< float32 for stored
  bool in_blocks() const { return precision == "q8_0" || precision == "q4_0"; }
  bool rounded() const { return !frozen && precision == "bfloat16"; }      ///< trained, in bfloat16
  void round(const std::vector<Parameter>& parameters) const;              ///< in place, if they are kept so
  std::vector<Parameter> stored(std::vector<Parameter> parameters) const;  ///< as they are to be saved
};

/// The safetensors of a model folder, mapped into memory: nothing is read before it is used. Tensors taken from it keep
/// the files open. Files must not be changed in place while they are in use (our own writers replace them).
/// Frozen models of one folder share their tensors, and so what kernels::Weight makes of them.
class Store {
 public:
  /// `stored_as` gives the name in the file of an entry, where they differ.
  Store(const std::filesystem::path& folder, Keeping keeping,
        std::function<std::string(const std::string&)> stored_as = nullptr);

  bool has(const std::string& name) const;

  /// Missing, extra and misshaped tensors are reported in one Error (exit 4). Extra ones that `passed_over` knows, by
  /// their names in the file, are none.
  void check(const std::vector<Entry>& wanted, bool (*passed_over)(const std::string&) = nullptr) const;

  /// Trainable: a float32 leaf, which shares the file's pages until it is written to if the file has float32.
  /// Frozen: matrices as they are stored in float32 or bfloat16, on the file's pages; vectors in float32. If weights
  /// are to be kept in bfloat16, so are the matrices that are read as they are: the embedding and the head, and all of
  /// them if `plain`. The copies that others are rearranged to are bfloat16.
  Parameter take(const Entry& entry) const;
  std::vector<Parameter> take(const std::vector<Entry>& entries) const;

  /// Tells models of equal shapes apart: a hash of names, shapes and the beginning of each tensor, as it is stored.
  std::string fingerprint(const std::vector<Entry>& entries) const;

  /// Gives the memory behind frozen tensors back to the system, which reads it again from the files when needed.
  std::function<void()> release() const;

 private:
  struct Files;
  at::Tensor frozen(const Entry& entry) const;
  std::shared_ptr<Files> files_;
};

/// Fresh weights: matrices normal with deviation 0.02, norms 1, biases 0. normal(i, j) is the j-th draw for entry i.
std::vector<Parameter> fresh(const TextConfig& config, const std::function<double(uint32_t, uint32_t)>& normal);

/// From a folder's safetensors, trainable.
std::vector<Parameter> load(const TextConfig& config, const std::filesystem::path& folder);

constexpr uint64_t largest_shard = 5'000'000'000;  // bytes, as transformers cuts them

/// model.safetensors, or shards with an index if it would be larger than `limit`. float32 and bfloat16 tensors are
/// written as they are.
void save(const std::vector<Parameter>& parameters, const std::filesystem::path& folder,
          uint64_t limit = largest_shard);

}  // namespace compeer::decoder
