#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "inference/open_model.h"

namespace compeer::bench {

/// Model sizes for benchmarks, with tied embeddings: toy, small, 0.5b and 7b (those of Qwen2.5).
struct BenchSize {
  int64_t vocabulary = 0, width = 0, layers = 0, heads = 0, key_heads = 0, feed_forward = 0;
  int64_t head_dim() const { return width / heads; }
};
BenchSize bench_size(const std::string& name);

/// Writes a model folder of that size with random weights, in float32 ("fp32") or bfloat16 (any other `dtype`). Its
/// last token is never drawn.
void write_bench_model(const BenchSize& size, const std::string& dtype, const std::filesystem::path& folder);

/// The same in float32 for {"size", "folder"}; benchmarks of whole runs call it in the worker.
int bench_model(const nlohmann::json& options);

/// Such a folder in the system's temporary folder, so that benchmarks open models as users do. The destructor removes
/// it.
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
