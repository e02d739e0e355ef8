#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::gguf {

class Cursor;

/// A metadata value of a GGUF file.
struct MetadataValue {
  std::string type;      ///< type in the file: uint8 ... float64, bool, string, array
  nlohmann::json value;  ///< strings are valid UTF-8
};
/// All metadata by key: "llama.block_count" -> 30.
using Metadata = std::map<std::string, MetadataValue>;

/// Reads `count` metadata entries. Throws Error (exit 4) for malformed entries and duplicate keys.
Metadata read_metadata(Cursor& in, uint64_t count);

/// Typed access to metadata. Functions throw Error (exit 4) naming the key if it is missing, unless they have a default
/// (`otherwise`), or if the value has the wrong type or is out of range.
class MetadataReader {
 public:
  /// Keeps references to `metadata` and `where`, the name of the file.
  MetadataReader(const Metadata& metadata, const std::string& where) : metadata_(metadata), where_(where) {}

  bool has(const std::string& key) const { return metadata_.contains(key); }
  const nlohmann::json& value(const std::string& key) const;

  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  /// An integer in [least, most].
  int64_t whole(const std::string& key, int64_t least, int64_t most) const;
  int64_t whole(const std::string& key, int64_t least, int64_t most, int64_t otherwise) const;
  /// A finite number above 0.
  double positive(const std::string& key, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  const nlohmann::json& list(const std::string& key) const;

  /// Throws Error (exit 4) for this file.
  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const;

 private:
  const Metadata& metadata_;
  const std::string& where_;
};

}  // namespace compeer::gguf
