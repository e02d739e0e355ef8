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

/// The safetensors format, without libtorch: tensors are raw bytes. A file is an 8-byte little-endian length, a JSON
/// header of that length with type, shape and offsets of every tensor, and the data. Files are untrusted: the reader
/// checks everything before it returns any data. Errors (exit 4) name the file and the tensor.
namespace compeer::record {

/// Non-owning view of a tensor.
struct TensorView {
  std::string name;
  std::string dtype;  ///< F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 I16 I8 U64 U32 U16 U8 BOOL
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  ///< row-major, little-endian; may be misaligned in files of other programs
};

/// Size of an element in bytes; 0 for an unknown type.
size_t element_size(const std::string& dtype);

/// One or several memory-mapped files. Views are valid during the lifetime of the object, also after it is moved.
class Safetensors {
 public:
  static Safetensors open(const std::filesystem::path& file, Access access = Access::read);
  /// Opens the weights of a model folder: `model.safetensors`, or the shards that `model.safetensors.index.json` names.
  static Safetensors open_sharded(const std::filesystem::path& folder, Access access = Access::read);

  Safetensors(Safetensors&&) noexcept;
  Safetensors& operator=(Safetensors&&) noexcept;
  ~Safetensors();

  std::vector<std::string> names() const;  ///< sorted
  bool has(const std::string& name) const;
  /// Throws Error (exit 4) with a suggestion if there is no such tensor.
  const TensorView& tensor(const std::string& name) const;
  const std::map<std::string, std::string>& metadata() const;  ///< `__metadata__` of all files
  const std::filesystem::path& path() const;                   ///< the opened file or folder

  /// With Access::read: returns the memory of all views to the system, which reads the bytes again when needed.
  void release() const;

 private:
  struct Files;
  explicit Safetensors(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

/// A tensor whose bytes are produced while they are written, so that a model need not fit into memory.
struct TensorInPieces {
  std::string name, dtype;
  std::vector<int64_t> shape;
  /// Must pass all bytes to `write`, in order, in pieces of any size.
  std::function<void(const std::function<void(std::span<const std::byte>)>& write)> make;
};

/// Write the weights of a model folder: model.safetensors, or, if the data has more than `limit` bytes, shards
/// model-00001-of-0000N.safetensors of at most `limit` bytes (or a single larger tensor) and their index. Tensors are
/// assigned to shards in the given order. Remove the single file or the index of the other layout.
void write_sharded(const std::filesystem::path& folder, const std::vector<TensorView>& tensors, uint64_t limit);
void write_sharded_in_pieces(const std::filesystem::path& folder, const std::vector<TensorInPieces>& tensors,
                             uint64_t limit);

/// Writes one file, atomically. Tensors are sorted by element size (largest first), then by name, so that the file does
/// not depend on their order in `tensors` and every tensor is aligned to its elements.
void write_safetensors(const std::filesystem::path& file, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace compeer::record
