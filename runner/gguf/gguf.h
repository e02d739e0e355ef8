#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/metadata.h"
#include "gguf/quants.h"
#include "record/mapped_file.h"

/// Reader of GGUF files (the model files of llama.cpp), versions 2 and 3. Layout: "GGUF", version, number of tensors,
/// number of metadata entries; for each metadata entry a key, type and value; for each tensor a name, shape, format and
/// offset; then the aligned tensor data. All numbers are little-endian. Files are untrusted: every count, length, type,
/// string and offset is checked before it is used, and an Error (exit code 4: the file is invalid) names the file and
/// the problem.
namespace compeer::gguf {

/// A tensor in a GGUF file.
struct GgufTensor {
  std::string name;
  const BlockFormat* format;   ///< how its values are stored; never null
  std::vector<int64_t> shape;  ///< slowest dimension first, as in safetensors; rows (last dimension) are whole blocks
  std::span<const std::byte> bytes;  ///< the blocks, row by row; valid as long as the GgufFile

  int64_t elements() const;  ///< number of values: the product of `shape`
};

/// A memory-mapped GGUF file.
class GgufFile {
 public:
  /// Maps and checks a file. Throws Error: exit code 4 if it is invalid or missing, 1 if the system fails to read it.
  static GgufFile open(const std::filesystem::path& file);
  /// A GGUF file that may be part of a larger file (an archive): `within` are its bytes in `mapped`. `where` names it
  /// in error messages. Throws Error (exit code 4) if it is invalid.
  GgufFile(record::MappedFile mapped, std::span<const std::byte> within, std::string where);

  const std::string& where() const { return where_; }  ///< name in error messages
  uint32_t version() const { return version_; }        ///< format version, 2 or 3
  uint32_t alignment() const { return alignment_; }    ///< alignment of tensors in bytes
  uint64_t data_start() const { return data_start_; }  ///< offset of the tensor data in the GGUF file, in bytes
  const Metadata& metadata() const { return metadata_; }
  /// Returns typed access to the metadata; valid as long as this object, and until it is moved.
  MetadataReader reader() const { return {metadata_, where_}; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }  ///< in the order of the file
  const GgufTensor* find(std::string_view name) const;                 ///< null if there is no such tensor

  /// Releases the physical memory of all tensors; the system reads the bytes again on the next access.
  void release() const { mapped_.release(); }

 private:
  record::MappedFile mapped_;  // the GGUF file, or the larger file that contains it
  std::string where_;
  uint32_t version_ = 0, alignment_ = 32;
  uint64_t data_start_ = 0;
  Metadata metadata_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string, size_t, std::less<>> indices_;  // tensor name -> index in tensors_
};

}  // namespace compeer::gguf
