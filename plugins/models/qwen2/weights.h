#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compeer/model.h"
#include "config.h"

namespace compeer::qwen2 {

/// Names and shapes of all parameters, in the order in which they are kept.
struct Entry {
  std::string name;
  std::vector<int64_t> shape;
};
std::vector<Entry> entries(const Config& config);

/// Fresh weights: matrices normal with deviation 0.02, norms 1, biases 0. normal(i, j) is the j-th draw for entry i.
std::vector<Parameter> fresh(const Config& config, const std::function<double(uint32_t, uint32_t)>& normal);

/// From a folder's safetensors, in float32. All missing, extra and misshaped tensors are named in one error.
std::vector<Parameter> load(const Config& config, const std::filesystem::path& folder);

/// model.safetensors in float32.
void save(const std::vector<Parameter>& parameters, const std::filesystem::path& folder);

}  // namespace compeer::qwen2
