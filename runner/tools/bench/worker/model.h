#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "inference/open_model.h"

// Models with random weights for `compeer bench`, because speed does not depend on the weights. They have the Qwen2
// architecture with tied embeddings.

namespace compeer::bench {

/// Sizes of a model: tokens in the vocabulary, elements of a hidden state, layers, query heads, key and value heads,
/// elements of the inner layer of the MLP.
struct BenchSize {
  int64_t vocabulary = 0, width = 0, layers = 0, heads = 0, key_heads = 0, feed_forward = 0;
  int64_t head_dim() const { return width / heads; }  ///< elements of a head
};
/// Returns the sizes for a name: "toy", "small", or "0.5b" and "7b", which are those of Qwen2.5.
BenchSize bench_size(const std::string& name);

/// Writes a model folder (config.json and weights) of that size, in float32 ("fp32") or bfloat16 (any other `dtype`).
/// Its last token is never drawn, so that it can serve as an end token that does not end completions.
void write_bench_model(const BenchSize& size, const std::string& dtype, const std::filesystem::path& folder);

/// Does the same in float32, in a worker process for benchmarks of whole runs. `options`: {"size": name, "folder"}.
/// Returns 0.
int bench_model(const nlohmann::json& options);

/// A model folder of that kind in the system's temporary folder. The destructor removes it.
class BenchModel {
 public:
  BenchModel(const BenchSize& size, const std::string& dtype);
  ~BenchModel();
  BenchModel(const BenchModel&) = delete;
  BenchModel& operator=(const BenchModel&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace compeer::bench
