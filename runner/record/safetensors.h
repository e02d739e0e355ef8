#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "record/mapped_file.h"

/// The safetensors format for model weights, without libtorch: tensors are raw bytes. A file is an 8-byte little-endian
/// length, a JSON header of that length with type, shape and offsets of every tensor, and the data. Files are
/// untrusted: the reader checks the whole header before it returns any data. Invalid files and tensors throw Error
/// (exit code 4: invalid data) that names the file and the tensor.
namespace compeer::record {

/// Non-owning view of a tensor's bytes.
struct TensorView {
  std::string name;   ///< such as "model.layers.0.self_attn.q_proj.weight"
  std::string dtype;  ///< element type: F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 I16 I8 U64 U32 U16 U8 BOOL
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  ///< row-major, little-endian; may be misaligned in files of other programs
};

/// Returns the size in bytes of an element of this type (TensorView::dtype); 0 for an unknown type.
size_t element_size(const std::string& dtype);

/// Reader of one or several memory-mapped files. Views of its tensors are valid during the lifetime of the object, also
/// after it is moved. Access::copy_on_write makes their memory writable without changing the files.
class Safetensors {
 public:
  /// Opens one file. Throws Error (exit code 4) if it is missing or invalid.
  static Safetensors open(const std::filesystem::path& file, Access access = Access::read);
  /// Opens the weights of a model folder: `model.safetensors`, or the files (shards) that
  /// `model.safetensors.index.json` names. Throws Error (exit code 4) if the folder has neither.
  static Safetensors open_sharded(const std::filesystem::path& folder, Access access = Access::read);

  Safetensors(Safetensors&&) noexcept;
  Safetensors& operator=(Safetensors&&) noexcept;
  ~Safetensors();

  std::vector<std::string> names() const;  ///< names of all tensors, sorted
  bool has(const std::string& name) const;
  /// Returns the tensor of this name. Throws Error (exit code 4), with a similar name as help, if there is none.
  const TensorView& tensor(const std::string& name) const;
  const std::map<std::string, std::string>& metadata() const;  ///< texts in `__metadata__` of all files, by key
  const std::filesystem::path& path() const;                   ///< the opened file or folder

  /// With Access::read: returns the memory of all views to the system, which reads the bytes again when needed.
  void release() const;

 private:
  struct Files;  ///< the mapped files, and the views of all their tensors by name
  explicit Safetensors(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

/// A tensor to be written, with a function that produces its bytes during writing, so that a model need not fit into
/// memory.
struct TensorInPieces {
  std::string name, dtype;  ///< as in TensorView
  std::vector<int64_t> shape;
  /// Called once, when the tensor is written. Must pass all bytes to `write`, row-major and little-endian, in order, in
  /// pieces of any size.
  std::function<void(const std::function<void(std::span<const std::byte>)>& write)> make;
};

/// Write the weights of a model folder: model.safetensors, or, if the data has more than `limit` bytes, shards
/// model-00001-of-0000N.safetensors of at most `limit` bytes of data (or with a single larger tensor) and the index
/// model.safetensors.index.json. Tensors are assigned to shards in the given order. If the folder already has the index
/// (when a single file is written) or the single file (when shards are written), it is removed.
void write_sharded(const std::filesystem::path& folder, const std::vector<TensorView>& tensors, uint64_t limit);
void write_sharded_in_pieces(const std::filesystem::path& folder, const std::vector<TensorInPieces>& tensors,
                             uint64_t limit);

/// Writes one file, atomically. `metadata`: contents of `__metadata__`, which is omitted if empty. Tensors are sorted
/// by element size (largest first), then by name, so that the file does not depend on their order in `tensors` and
/// every tensor is aligned to its elements.
void write_safetensors(const std::filesystem::path& file, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace compeer::record
