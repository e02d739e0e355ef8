#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/measurement.h"

/// `compeer bench`: measures this build on this machine. Nothing passes or fails on a time.

namespace compeer::bench {

/// What benchmarks of models measure; 0 is the size's own default.
struct BenchOptions {
  std::string size = "toy";                  ///< toy, small, 0.5b or 7b
  std::string dtype = "fp32";                ///< of the weights: fp32, bf16, q8_0 or q4_0
  std::string compute = "float32";           ///< what products multiply: float32 or bfloat16
  std::string device = "cpu";                ///< where, cpu or cuda
  int threads = 0;                           ///< 0: all
  int64_t batch = 0, prompt = 0, fresh = 0;  ///< sequences, tokens of each prompt, new tokens of each
  int64_t seq = 0;                           ///< tokens of each sequence to train on
  int64_t prompts = 0, group = 0;            ///< of a step, and completions of each
  int64_t steps = 0, ranks = 0, together = 0;
  int64_t repeats = 0;
  std::string model, prm, orm;  ///< folders: of judges; of scoring's policy; of what generates, trains, takes steps
  int64_t adapter = 0;          ///< train, grpo_step: the rank of an adapter that trains in the model's place
  std::string by = "answer";    ///< how they are heard
};

/// Each returns one measurement an entry.
std::vector<nlohmann::json> bench_start(const BenchOptions& options);
std::vector<nlohmann::json> bench_record(const BenchOptions& options);
/// Runs of grpo as `compeer run` makes them.
std::vector<nlohmann::json> bench_grpo_step(const BenchOptions& options);
std::vector<nlohmann::json> bench_scaling(const BenchOptions& options);
/// The same with judges behind an endpoint that is slow.
std::vector<nlohmann::json> bench_scoring(const BenchOptions& options);
/// In a process of the worker, which prints its measurements: `compeer-worker model bench_NAME OPTIONS`.
std::vector<nlohmann::json> bench_kernels(const BenchOptions& options);
std::vector<nlohmann::json> bench_generate(const BenchOptions& options);
std::vector<nlohmann::json> bench_train(const BenchOptions& options);
std::vector<nlohmann::json> bench_prefix(const BenchOptions& options);
std::vector<nlohmann::json> bench_judging(const BenchOptions& options);
std::vector<nlohmann::json> bench_serve(const BenchOptions& options);
std::vector<nlohmann::json> bench_allreduce(const BenchOptions& options);  ///< in several

/// What speed depends on: "GenuineIntel 6/143, AVX512_BF16" is vendor, family, model, and the widest instruction set,
/// else AVX-512 or AVX2. `cpuinfo` is the text of /proc/cpuinfo; "?" is what it lacks.
std::string processor_kind(bool avx512, bool bfloat16, const std::string& cpuinfo);

/// Figures of earlier measurements, by kind of processor: lines that `compeer bench --json` printed.
class BenchBaseline {
 public:
  /// Throws Error (exit 4) naming the line that is no measurement.
  explicit BenchBaseline(const std::filesystem::path& file);

  /// The best of a measurement's repetitions divided by that of the baseline, with "WORSE" or "better" if they differ
  /// by more than 8 %: "1.02 of baseline", "1.31 of baseline: WORSE". "no baseline" if the file has none for this
  /// measurement on this kind of processor.
  std::string compare(const nlohmann::json& line) const;

 private:
  std::map<std::string, double> best_;  // by what was measured and the kind of processor
};

}  // namespace compeer::bench
