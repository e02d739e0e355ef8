#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "inference/open_model.h"

namespace compeer::bench {

/// The sizes that benchmarks use, with tied embeddings: toy, small, 0.5b and 7b (those of Qwen2.5).
struct BenchSize {
  int64_t vocabulary = 0, width = 0, layers = 0, heads = 0, key_heads = 0, feed_forward = 0;
  int64_t head_dim() const { return width / heads; }
};
BenchSize bench_size(const std::string& name);

/// A model folder of that size with made-up weights, float32 ("fp32") or bfloat16 (else), which never draws its last
/// token.
void write_bench_model(const BenchSize& size, const std::string& dtype, const std::filesystem::path& folder);

/// The same for {"size", "folder"}: what benchmarks of whole runs ask the worker for.
int bench_model(const nlohmann::json& options);

/// Such a folder among the system's temporary files: so that benchmarks open it as users open theirs. Removed at the
/// end.
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
