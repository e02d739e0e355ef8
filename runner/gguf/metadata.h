#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::gguf {

class Cursor;

/// What is known of a model beside its weights: "llama.block_count" -> 30.
struct MetadataValue {
  std::string type;      ///< uint8 ... float64, bool, string, array
  nlohmann::json value;  ///< texts are UTF-8
};
using Metadata = std::map<std::string, MetadataValue>;

/// `count` keys with their values.
Metadata read_metadata(Cursor& in, uint64_t count);

/// Metadata of certain types, for those who must have them. A key that is missing, and a value of another kind or out
/// of bounds, is an Error that names the key; `otherwise` stands in for a key that is missing.
class MetadataReader {
 public:
  MetadataReader(const Metadata& metadata, const std::string& where) : metadata_(metadata), where_(where) {}

  bool has(const std::string& key) const { return metadata_.contains(key); }
  const nlohmann::json& value(const std::string& key) const;

  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  int64_t whole(const std::string& key, int64_t least, int64_t most) const;
  int64_t whole(const std::string& key, int64_t least, int64_t most, int64_t otherwise) const;
  double positive(const std::string& key, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  const nlohmann::json& list(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const;

 private:
  const Metadata& metadata_;
  const std::string& where_;
};

}  // namespace compeer::gguf
