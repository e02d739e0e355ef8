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

/// Reader of GGUF files, versions 2 and 3. Layout: "GGUF", version, number of tensors, number of metadata entries; for
/// each metadata entry a key, type and value; for each tensor a name, shape, format and offset; then the aligned tensor
/// data. All numbers are little-endian. Files are untrusted: every count, length, type, string and offset is checked
/// before it is used, and an Error (exit 4) names the file and the problem.
namespace compeer::gguf {

/// A tensor in a GGUF file.
struct GgufTensor {
  std::string name;
  const BlockFormat* format;
  std::vector<int64_t> shape;  ///< slowest dimension first, as in safetensors; rows (last dimension) are whole blocks
  std::span<const std::byte> bytes;  ///< the blocks, row by row; valid as long as the GgufFile

  int64_t elements() const;  ///< product of `shape`
};

/// A memory-mapped GGUF file.
class GgufFile {
 public:
  /// Maps and checks a file. Throws Error: exit 4 if it is invalid or missing, exit 1 if the system fails to read it.
  static GgufFile open(const std::filesystem::path& file);
  /// A GGUF file that is part of a larger file: `within` are its bytes in `mapped`. `where` names it in error messages.
  GgufFile(record::MappedFile mapped, std::span<const std::byte> within, std::string where);

  const std::string& where() const { return where_; }  ///< name in error messages
  uint32_t version() const { return version_; }        ///< format version, 2 or 3
  uint32_t alignment() const { return alignment_; }    ///< alignment of tensors in bytes
  uint64_t data_start() const { return data_start_; }  ///< offset of the tensor data in bytes
  const Metadata& metadata() const { return metadata_; }
  /// Returns a reader that refers to this object.
  MetadataReader reader() const { return {metadata_, where_}; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }  ///< in the order of the file
  const GgufTensor* find(std::string_view name) const;                 ///< null if there is no such tensor

  /// Releases the physical memory of all tensors; the system reads the bytes again on the next access.
  void release() const { mapped_.release(); }

 private:
  record::MappedFile mapped_;
  std::string where_;
  uint32_t version_ = 0, alignment_ = 32;
  uint64_t data_start_ = 0;
  Metadata metadata_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string, size_t, std::less<>> places_;  // name -> index in tensors_
};

}  // namespace compeer::gguf
