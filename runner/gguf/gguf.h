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

/// GGUF files, versions 2 and 3: "GGUF", version, numbers of tensors and of metadata; the metadata, each a key, a type
/// and a value; of each tensor a name, sizes, a format and a place; then the tensors, aligned. All numbers are
/// little-endian. Files come from strangers: every count, length, type, text and place is checked before it is used,
/// and an Error (exit 4) names the file and what is wrong.
namespace compeer::gguf {

struct GgufTensor {
  std::string name;
  const BlockFormat* format;
  std::vector<int64_t> shape;        ///< slowest first, as in safetensors; a row of the last is whole blocks
  std::span<const std::byte> bytes;  ///< its blocks, row by row

  int64_t elements() const;
};

class GgufFile {
 public:
  static GgufFile open(const std::filesystem::path& file);
  /// One that is part of a larger file: `within` lies in `mapped`. Errors name it `where`.
  GgufFile(record::MappedFile mapped, std::span<const std::byte> within, std::string where);

  const std::string& where() const { return where_; }
  uint32_t version() const { return version_; }
  uint32_t alignment() const { return alignment_; }
  uint64_t data_start() const { return data_start_; }
  const Metadata& metadata() const { return metadata_; }
  MetadataReader reader() const { return {metadata_, where_}; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }  ///< in the file's order
  const GgufTensor* find(std::string_view name) const;                 ///< nullptr: there is none

  /// Gives the memory behind all tensors back to the system, which reads the bytes again when needed.
  void release() const { mapped_.release(); }

 private:
  record::MappedFile mapped_;
  std::string where_;
  uint32_t version_ = 0, alignment_ = 32;
  uint64_t data_start_ = 0;
  Metadata metadata_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string, size_t, std::less<>> places_;
};

}  // namespace compeer::gguf
