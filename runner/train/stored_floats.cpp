#include "train/stored_floats.h"

#include <cstring>

#include "base/error.h"

namespace compeer::train {

record::TensorView stored_floats(const std::string& name, const std::vector<float>& values) {
  return {name, "F32", {static_cast<int64_t>(values.size())}, std::as_bytes(std::span(values))};
}

void read_floats(const record::Safetensors& file, const std::string& name, std::vector<float>& values) {
  const auto& view = file.tensor(name);
  if (view.bytes.size() != values.size() * sizeof(float))
    throw Error(file.path().string(), "tensor '" + name + "' belongs to a model of another size", "", Exit::data);
  std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
}

}  // namespace compeer::train
