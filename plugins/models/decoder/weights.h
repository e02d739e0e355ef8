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

// Loading, checking and saving the weights of decoder-only language models, as safetensors files in Hugging Face
// layout. Weights are trained (float32) or frozen: in their stored type on pages mapped from the file. kernels::Weight
// "repacks" a frozen matrix: it makes a copy in the layout, and possibly the format, that the kernels multiply fastest.

/// Name and shape of a parameter (a weight tensor).
struct Entry {
  std::string name;
  std::vector<int64_t> shape;
};
/// Returns all parameters of a model, in the order in which they are stored.
std::vector<Entry> entries(const TextConfig& config);

/// Returns a shape as text for messages: "[2, 3]".
std::string shape_text(const std::vector<int64_t>& shape);

/// Collects the tensors of a file that do not fit a model, for an error message. The message shows one tensor of each
/// kind of problem, because a model of another size has hundreds.
class Misfits {
 public:
  /// Add a tensor that the file lacks (`shape`: the expected one), that the model does not have, or that has NaN or
  /// infinite values.
  void missing(const std::string& name, const std::vector<int64_t>& shape);
  void unexpected(const std::string& name);
  void not_finite(const std::string& name);
  /// Adds the tensor `view` of the file if its shape is not the expected `shape` or its type is not supported.
  void check(const std::string& name, const record::TensorView& view, const std::vector<int64_t>& shape);

  bool empty() const { return kinds_.empty(); }
  /// Returns a line for each kind of problem, with a line end before it: "\n  missing a.weight [2, 3], and 12 more".
  std::string text() const;

 private:
  // Counts a problem of the kind `kind`; `tensor`: its description.
  void add(const std::string& kind, const std::string& tensor);

  // A kind of problem.
  struct Kind {
    std::string name;   // name of the kind, such as "missing"
    std::string first;  // description of the first tensor with it
    size_t count = 1;   // number of tensors with it
  };
  std::vector<Kind> kinds_;  // in the order in which they occurred
};

/// Returns the scalar type of a safetensors `dtype` ("F32", "BF16" or "F16"); Undefined for any other.
at::ScalarType type_of(const std::string& dtype);

/// How weights are stored in memory: the settings `frozen` and `precision` of a model.
struct WeightStorage {
  WeightStorage() = default;
  /// Reads the settings. `adapted`: the model has a LoRA adapter, so the weights are frozen. `stored_as`: the precision
  /// that the setting "stored" means, as recorded with the adapter; "": that of the file. Throws Error if the settings
  /// contradict each other.
  explicit WeightStorage(const Settings& settings, bool adapted = false, const std::string& stored_as = "");

  /// Throws Error (exit code 4: invalid data) if the adapter in `folder` was trained over weights in another precision,
  /// `trained_over`, unless the user chose the precision of these weights. `trained_over` "": unknown, never throws.
  void check(const std::filesystem::path& folder, const std::string& trained_over) const;

  bool frozen = false;            ///< weights are not trained
  bool precision_chosen = false;  ///< the user chose the precision: the setting is not "stored"
  bool unpacked = false;          ///< frozen matrices are not repacked, because the engine is libtorch
  /// Precision of matrices: "float32" or "bfloat16" if they are trained; if they are frozen, also "stored" (as in the
  /// file), "q8_0" or "q4_0".
  std::string precision = "float32";

  /// Returns the precision as a format of the kernels; float32 if it is "stored".
  WeightFormat format() const;
  /// Returns true for the quantized formats.
  bool is_quantized() const { return precision == "q8_0" || precision == "q4_0"; }
  /// Returns true if the weights are trained in bfloat16: float32 tensors with values representable in bfloat16.
  bool rounded() const { return !frozen && precision == "bfloat16"; }
  /// Rounds the values of the parameters to bfloat16 in place if `rounded`, otherwise does nothing.
  void round(const std::vector<Parameter>& parameters) const;
  /// Returns the parameters in the form to be saved: on the host, in bfloat16 if `rounded`.
  std::vector<Parameter> stored(std::vector<Parameter> parameters) const;
};

/// The safetensors files of a model folder, mapped into memory: data is read on first access. Tensors taken from it
/// keep the files mapped. The files must not be modified in place meanwhile (this program's writers replace them).
/// Frozen models of the same folder share their tensors, and therefore the copies that kernels::Weight makes of them.
class Store {
 public:
  /// `storage`: how tensors are stored in memory. `stored_as`: maps an entry's name to the name in the file; null: they
  /// are equal. Throws Error (exit code 4: invalid data) if the folder has no readable safetensors.
  Store(const std::filesystem::path& folder, WeightStorage storage,
        std::function<std::string(const std::string&)> stored_as = nullptr);

  /// Returns true if the files contain a tensor of this name (the name in the file).
  bool has(const std::string& name) const;

  /// Compares the files with the entries that a model needs, `wanted`. Throws one Error (exit code 4) that describes
  /// all missing, unexpected and misshaped tensors. Unexpected ones are ignored if `is_ignored` returns true for their
  /// name in the file.
  void check(const std::vector<Entry>& wanted, bool (*is_ignored)(const std::string&) = nullptr) const;

  /// Returns a parameter. Trained: a float32 leaf that requires grad; it shares the file's pages, copy-on-write, if the
  /// file has float32. Frozen: matrices in the file's type on the file's pages (float16 becomes float32), vectors as
  /// float32. With precision bfloat16, frozen matrices that are not repacked (embedding and head; all if
  /// `WeightStorage::unpacked`) are converted to bfloat16; kernels::Weight repacks the others as bfloat16.
  Parameter take(const Entry& entry) const;
  /// Returns the parameters of all these entries, in order.
  std::vector<Parameter> take(const std::vector<Entry>& entries) const;

  /// Returns the SHA-256 of names, shapes and the first 4096 bytes of these tensors, which distinguishes models of
  /// equal sizes.
  std::string fingerprint(const std::vector<Entry>& entries) const;

  /// Returns a function that gives the memory of mapped pages back to the system. They are read from the files again
  /// when needed. The function keeps the files mapped.
  std::function<void()> release() const;

 private:
  struct Files;  // the mapped files, and the constructor's arguments
  // Returns the tensor of a frozen parameter; the same one for all models that use it.
  at::Tensor frozen(const Entry& entry) const;
  std::shared_ptr<Files> files_;
};

/// Returns the trainable random weights of a new model: matrices normal with deviation 0.02, norms 1, biases 0.
/// `normal(i, j)`: returns the j-th standard normal random number for entry i of `entries(config)`.
std::vector<Parameter> fresh(const TextConfig& config, const std::function<double(uint32_t, uint32_t)>& normal);

/// Loads trainable weights from the safetensors files of a model folder. Throws Error (exit code 4) if they don't fit.
std::vector<Parameter> load(const TextConfig& config, const std::filesystem::path& folder);

/// Largest file of a saved model in bytes, the limit of Hugging Face transformers.
constexpr uint64_t largest_shard = 5'000'000'000;

/// Writes the parameters (float32 or bfloat16, on the host) to model.safetensors in `folder`, or to shards of at most
/// `limit` bytes with an index if it would be larger.
void save(const std::vector<Parameter>& parameters, const std::filesystem::path& folder,
          uint64_t limit = largest_shard);

}  // namespace compeer::decoder
