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

/// Weights in the safetensors format, as raw bytes: no libtorch here. A file is an 8-byte little-endian length, a JSON
/// header of that length naming every tensor's type, shape and place, and the data. Files come from strangers, so the
/// reader checks everything before it hands out a byte; each error names the file and the tensor (exit 4).
namespace compeer::record {

struct TensorView {
  std::string name;
  std::string dtype;  ///< F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 I16 I8 U64 U32 U16 U8 BOOL
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  ///< row-major, little-endian; may be misaligned in files of others
};

/// Bytes of one element, 0 for an unknown type.
size_t element_size(const std::string& dtype);

/// One or several files, mapped into memory. Views live as long as the object (moving it keeps them).
class Safetensors {
 public:
  static Safetensors open(const std::filesystem::path& file, Access access = Access::read);
  /// A model folder: `model.safetensors`, or the shards that `model.safetensors.index.json` names.
  static Safetensors open_sharded(const std::filesystem::path& folder, Access access = Access::read);

  Safetensors(Safetensors&&) noexcept;
  Safetensors& operator=(Safetensors&&) noexcept;
  ~Safetensors();

  std::vector<std::string> names() const;  ///< sorted
  bool has(const std::string& name) const;
  /// An unknown name is an Error that suggests the nearest.
  const TensorView& tensor(const std::string& name) const;
  const std::map<std::string, std::string>& metadata() const;
  const std::filesystem::path& path() const;  ///< the file or folder opened

  /// With Access::read: gives the memory behind all views back to the system, which reads the bytes again when needed.
  void release() const;

 private:
  struct Files;
  explicit Safetensors(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

/// A tensor whose bytes are made when their turn comes to be written, so that a model need not fit into memory.
struct TensorInPieces {
  std::string name, dtype;
  std::vector<int64_t> shape;
  /// Hands over all bytes, in order, in pieces of any size.
  std::function<void(const std::function<void(std::span<const std::byte>)>& write)> make;
};

/// Writes a model folder's weights: model.safetensors or, where that would have more than `limit` bytes of data, shards
/// model-00001-of-0000N.safetensors and their index. Tensors stay in the order given. The other
/// layout's single file or index is removed, so that the folder holds one model.
void write_sharded(const std::filesystem::path& folder, const std::vector<TensorView>& tensors, uint64_t limit);
void write_sharded_in_pieces(const std::filesystem::path& folder, const std::vector<TensorInPieces>& tensors,
                             uint64_t limit);

/// Writes whole or not at all. The same tensors give the same bytes, whatever their order in `tensors`: larger elements
/// first, then by name, which also aligns every tensor to its element.
void write_safetensors(const std::filesystem::path& file, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace compeer::record
