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

/// Name and shape of a parameter.
struct Entry {
  std::string name;
  std::vector<int64_t> shape;
};
/// Returns all parameters of a model, in the order in which they are stored.
std::vector<Entry> entries(const TextConfig& config);

/// Returns a shape as text for messages: "[2, 3]".
std::string shape_text(const std::vector<int64_t>& shape);

/// Collects tensors that do not fit a model, for an error message. Shows one tensor of each kind of problem, because a
/// model of another size has hundreds.
class Misfits {
 public:
  /// Add a tensor that the file lacks, that the model does not have, or that has NaN or infinite values.
  void missing(const std::string& name, const std::vector<int64_t>& shape);
  void unexpected(const std::string& name);
  void not_finite(const std::string& name);
  /// Adds a tensor if its shape is not the expected one or its type can't be read.
  void check(const std::string& name, const record::TensorView& view, const std::vector<int64_t>& shape);

  bool empty() const { return kinds_.empty(); }
  /// Returns a line for each kind of problem, with a line end before it: "\n  missing a.weight [2, 3], and 12 more".
  std::string text() const;

 private:
  void add(const std::string& kind, const std::string& tensor);

  struct Kind {
    std::string name, first;
    size_t count = 1;
  };
  std::vector<Kind> kinds_;
};

/// Returns the scalar type of a safetensors `dtype`; Undefined if it is not supported.
at::ScalarType type_of(const std::string& dtype);

/// How weights are stored in memory: the settings `frozen` and `precision`.
struct WeightStorage {
  WeightStorage() = default;
  /// `adapted`: an adapter is trained, so the weights are frozen. `stored_as`: the precision that "stored" means, if it
  /// is recorded. Throws Error if the settings contradict each other.
  explicit WeightStorage(const Settings& settings, bool adapted = false, const std::string& stored_as = "");

  /// Throws Error (exit 4) if the adapter in `folder` was trained for weights in the precision `trained_over` and these
  /// have another one that the user did not choose.
  void check(const std::filesystem::path& folder, const std::string& trained_over) const;

  bool frozen = false;  ///< weights are not trained
  bool asked = false;   ///< the setting `precision` is not "stored"
  bool plain = false;   ///< frozen matrices are not repacked: the libtorch engine
  /// Frozen matrices: stored, float32, bfloat16, q8_0 or q4_0; trained ones: float32 or bfloat16.
  std::string precision = "float32";

  WeightFormat format() const;  ///< float32 if the precision is stored
  /// Returns true for the quantized formats.
  bool is_quantized() const { return precision == "q8_0" || precision == "q4_0"; }
  bool rounded() const { return !frozen && precision == "bfloat16"; }  ///< trained in bfloat16
  void round(const std::vector<Parameter>& parameters) const;  ///< rounds them to bfloat16 in place if `rounded`
  /// Returns the parameters in the form to be saved: on the host, in bfloat16 if `rounded`.
  std::vector<Parameter> stored(std::vector<Parameter> parameters) const;
};

/// The safetensors files of a model folder, mapped into memory: data is read on first access. Tensors from it keep the
/// files mapped. The files must not be modified in place meanwhile (this program's writers replace them). Frozen models
/// of the same folder share their tensors, and so the repacked copies that kernels::Weight makes.
class Store {
 public:
  /// `stored_as` maps an entry's name to the name in the file; null: they are equal. Throws Error (exit 4) if the
  /// folder has no readable safetensors.
  Store(const std::filesystem::path& folder, WeightStorage keeping,
        std::function<std::string(const std::string&)> stored_as = nullptr);

  /// Returns true if the files contain a tensor of this name.
  bool has(const std::string& name) const;

  /// Throws one Error (exit 4) that lists all missing, unexpected and misshaped tensors. Unexpected ones are ignored if
  /// `is_ignored` returns true for their name in the file.
  void check(const std::vector<Entry>& wanted, bool (*is_ignored)(const std::string&) = nullptr) const;

  /// Returns a parameter. Trainable: a float32 leaf that requires grad; it shares the file's pages, copy-on-write, if
  /// the file has float32. Frozen: matrices in the stored type on the file's pages (float16 becomes float32), vectors
  /// as float32. With precision bfloat16, the matrices that are not repacked (embedding and head, with `plain` all) are
  /// converted to bfloat16; kernels::Weight repacks the others as bfloat16.
  Parameter take(const Entry& entry) const;
  std::vector<Parameter> take(const std::vector<Entry>& entries) const;

  /// Returns a hash of names, shapes and the first 4096 bytes of each tensor, which distinguishes models of equal
  /// sizes.
  std::string fingerprint(const std::vector<Entry>& entries) const;

  /// Returns a function that returns the memory behind frozen tensors to the system; it is read from the files again
  /// when needed.
  std::function<void()> release() const;

 private:
  struct Files;
  at::Tensor frozen(const Entry& entry) const;
  std::shared_ptr<Files> files_;
};

/// Returns random weights: matrices normal with deviation 0.02, norms 1, biases 0. normal(i, j) returns the j-th
/// standard normal number for entry i.
std::vector<Parameter> fresh(const TextConfig& config, const std::function<double(uint32_t, uint32_t)>& normal);

/// Loads trainable weights from a folder's safetensors.
std::vector<Parameter> load(const TextConfig& config, const std::filesystem::path& folder);

constexpr uint64_t largest_shard = 5'000'000'000;  // bytes, the limit of transformers

/// Writes model.safetensors, or shards of at most `limit` bytes with an index if it would be larger. float32 and
/// bfloat16 tensors keep their type.
void save(const std::vector<Parameter>& parameters, const std::filesystem::path& folder,
          uint64_t limit = largest_shard);

}  // namespace compeer::decoder
