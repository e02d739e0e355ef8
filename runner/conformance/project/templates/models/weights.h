#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <bit>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

// Reads and writes a model's weights in the safetensors format: the length of a JSON header (8 bytes), the header, the
// tensors' bytes. All tensors are float32 on the CPU. Errors are std::runtime_error.

static_assert(std::endian::native == std::endian::little, "numbers in files are little-endian");
// Name of a parameter -> its values.
using Weights = std::map<std::string, at::Tensor>;

// Replaces the file's contents by `text`, which may be binary.
inline void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!(out << text << std::flush)) throw std::runtime_error("can't write " + file);
}

// Writes all weights to one safetensors file.
inline void write_weights(const std::string& file, const Weights& weights) {
  nlohmann::json header;
  std::string data;
  for (const auto& [name, tensor] : weights) {
    const at::Tensor whole = tensor.detach().contiguous();
    const size_t begin = data.size();
    data.append(static_cast<const char*>(whole.const_data_ptr()), whole.nbytes());
    header[name] = {{"dtype", "F32"}, {"shape", whole.sizes().vec()}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  write_text(file, std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + data);
}

// Reads one tensor. `entry`: its object in the JSON header, with dtype, shape and data_offsets. `data`: position in the
// file of the first tensor's bytes. After a failed read, `in` is in an error state.
inline at::Tensor read_tensor(const nlohmann::json& entry, std::ifstream& in, std::streamoff data) {
  if (entry.at("dtype") != "F32") throw std::runtime_error("contains weights that are not F32");
  const at::Tensor tensor = at::empty(entry.at("shape").get<std::vector<int64_t>>(), at::kFloat);
  in.seekg(data + entry.at("data_offsets").at(0).get<std::streamoff>());
  in.read(static_cast<char*>(tensor.mutable_data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
  return tensor;
}

// Reads all weights of a safetensors file.
inline Weights read_weights(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(in.tellg());
  uint64_t length = 0;
  in.seekg(0).read(reinterpret_cast<char*>(&length), sizeof length);
  if (!in || length > size) throw std::runtime_error("can't read " + file);
  std::string text(length, ' ');
  in.read(text.data(), static_cast<std::streamsize>(length));
  const std::streamoff data = in.tellg();
  Weights weights;
  const auto header = nlohmann::json::parse(text);
  for (const auto& [name, entry] : header.items()) weights[name] = read_tensor(entry, in, data);
  if (!in) throw std::runtime_error(file + " is cut off");
  return weights;
}
