#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "places.h"

namespace compeer::gguf {

// Folder of the reference GGUF files.
inline const std::filesystem::path golden_gguf = std::filesystem::path(COMPEER_SOURCE_DIR) / "tests/golden/gguf";

// Returns the little-endian bytes of a number, as in a GGUF file.
template <class T>
std::string le(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
// Returns a string as in a GGUF file: its length and its bytes.
inline std::string le_text(std::string_view text) { return le<uint64_t>(text.size()) + std::string(text); }

// Builder of a GGUF file (a model file of llama.cpp), valid or not. Methods that add something return *this.
struct GgufBytes {
  std::string metadata, entries, data;   // the file's sections: key-value pairs, descriptions of tensors, values
  uint64_t keys = 0, tensors = 0;        // numbers of key-value pairs and tensors
  uint32_t version = 3, alignment = 32;  // of the format; of the tensors' offsets, in bytes

  // Adds a key with the number of its GGUF type and the bytes of its value. The methods below do so for one type each:
  // unsigned integer, float, bool, string, and arrays of strings and integers.
  GgufBytes& raw(std::string_view key, uint32_t type, std::string_view value) {
    metadata += le_text(key) + le(type) + std::string(value);
    ++keys;
    return *this;
  }
  GgufBytes& number(std::string_view key, uint32_t value) { return raw(key, 4, le(value)); }
  GgufBytes& real(std::string_view key, float value) { return raw(key, 6, le(value)); }
  GgufBytes& flag(std::string_view key, bool value) { return raw(key, 7, le<uint8_t>(value)); }
  GgufBytes& text(std::string_view key, std::string_view value) { return raw(key, 8, le_text(value)); }
  GgufBytes& texts(std::string_view key, const std::vector<std::string>& values) {
    std::string all = le<uint32_t>(8) + le<uint64_t>(values.size());
    for (const auto& value : values) all += le_text(value);
    return raw(key, 9, all);
  }
  GgufBytes& numbers(std::string_view key, const std::vector<int32_t>& values) {
    std::string all = le<uint32_t>(5) + le<uint64_t>(values.size());
    for (const auto value : values) all += le(value);
    return raw(key, 9, all);
  }

  // Adds only the description of a tensor: sizes, the number of its GGUF type, and its offset in `data`.
  GgufBytes& entry(std::string_view name, const std::vector<uint64_t>& sizes, uint32_t format, uint64_t offset) {
    entries += le_text(name) + le(static_cast<uint32_t>(sizes.size()));
    for (const uint64_t size : sizes) entries += le(size);
    entries += le(format) + le(offset);
    ++tensors;
    return *this;
  }
  // Adds an F32 tensor. Sizes are in the file's order: fastest-varying dimension first.
  GgufBytes& tensor(std::string_view name, const std::vector<uint64_t>& sizes, const std::vector<float>& values) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    entry(name, sizes, 0, data.size());
    data.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
    return *this;
  }
  // Adds an F32 tensor filled with 0.5.
  GgufBytes& tensor(std::string_view name, const std::vector<uint64_t>& sizes) {
    uint64_t count = 1;
    for (const uint64_t size : sizes) count *= size;
    return tensor(name, sizes, std::vector<float>(count, 0.5f));
  }

  // Returns the whole file.
  std::string bytes() const {
    std::string all = "GGUF" + le(version) + le(tensors) + le(keys) + metadata + entries;
    all.resize((all.size() + alignment - 1) / alignment * alignment);
    return all + data;
  }
};

}  // namespace compeer::gguf
