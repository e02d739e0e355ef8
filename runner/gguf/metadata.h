#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

// The metadata of a GGUF file: key-value pairs that describe the model and contain its tokenizer.

namespace compeer::gguf {

class Cursor;

/// The value of one metadata entry.
struct MetadataValue {
  std::string type;      ///< type in the file: uint8 ... float64, bool, string, array
  nlohmann::json value;  ///< the value as JSON; strings are valid UTF-8
};
/// All metadata by key: "llama.block_count" -> 30.
using Metadata = std::map<std::string, MetadataValue>;

/// Reads `count` metadata entries at the position of `in` and moves behind them. Throws Error (exit code 4: the file is
/// invalid) for malformed entries and duplicate keys.
Metadata read_metadata(Cursor& in, uint64_t count);

/// Typed access to metadata. The functions that return a value throw Error (exit code 4), naming the key, if the value
/// has the wrong type or is out of range, or if the key is missing. Those with a parameter `otherwise` return it
/// instead if the key is missing.
class MetadataReader {
 public:
  /// Keeps references to `metadata` and `where`, the name of the file in error messages.
  MetadataReader(const Metadata& metadata, const std::string& where) : metadata_(metadata), where_(where) {}

  bool has(const std::string& key) const { return metadata_.contains(key); }
  /// A value of any type.
  const nlohmann::json& value(const std::string& key) const;

  /// A string.
  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  /// An integer in [least, most].
  int64_t whole(const std::string& key, int64_t least, int64_t most) const;
  int64_t whole(const std::string& key, int64_t least, int64_t most, int64_t otherwise) const;
  /// A finite number above 0.
  double positive(const std::string& key, double otherwise) const;
  /// True or false.
  bool flag(const std::string& key, bool otherwise) const;
  /// An array.
  const nlohmann::json& list(const std::string& key) const;

  /// Throws Error (exit code 4) about this file. `what`: the problem, as a predicate ("has no tensors"); `help`: the
  /// remedy.
  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const;

 private:
  const Metadata& metadata_;
  const std::string& where_;  // name of the file in error messages
};

}  // namespace compeer::gguf
