#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/measurement.h"

/// `compeer bench`: measures this build on this machine. Benchmarks never fail because of a time.

namespace compeer::bench {

/// Options of the benchmarks; 0 means the default of the model size.
struct BenchOptions {
  std::string size = "toy";                       ///< toy, small, 0.5b or 7b
  std::string dtype = "fp32";                     ///< storage format of weights: fp32, bf16, q8_0 or q4_0
  std::string compute = "float32";                ///< number format of products: float32 or bfloat16
  std::string device = "cpu";                     ///< cpu or cuda
  int threads = 0;                                ///< 0: all processors
  int64_t batch = 0, prompt = 0, new_tokens = 0;  ///< number of sequences, tokens per prompt, new tokens per sequence
  int64_t seq = 0;                                ///< tokens per training sequence
  int64_t prompts = 0, group = 0;                 ///< prompts per step, completions per prompt
  /// `groups_per_reduction`: prompt groups or sequences per leaf of the reduction.
  int64_t steps = 0, ranks = 0, groups_per_reduction = 0;
  int64_t repeats = 0;  ///< number of repetitions
  /// Model folders. `model`: the model that is measured (judging: the judge; scoring: the policy). `prm`, `orm`: the
  /// judges of steps and replies, default `model`.
  std::string model, prm, orm;
  int64_t adapter = 0;  ///< train, grpo_step: rank of an adapter to train in place of the weights; 0: none
  std::string verdict_mode = "answer";  ///< how judges' answers are read, as in the setting `score_by`
};

/// Each runs one benchmark and returns its measurements.
std::vector<nlohmann::json> bench_start(const BenchOptions& options);
std::vector<nlohmann::json> bench_record(const BenchOptions& options);
/// Runs GRPO as `compeer run` does.
std::vector<nlohmann::json> bench_grpo_step(const BenchOptions& options);
std::vector<nlohmann::json> bench_scaling(const BenchOptions& options);
/// The same with judges behind a slow endpoint.
std::vector<nlohmann::json> bench_scoring(const BenchOptions& options);
/// These run in a worker process, which prints its measurements: `compeer-worker model bench_NAME OPTIONS`.
std::vector<nlohmann::json> bench_kernels(const BenchOptions& options);
std::vector<nlohmann::json> bench_generate(const BenchOptions& options);
std::vector<nlohmann::json> bench_train(const BenchOptions& options);
std::vector<nlohmann::json> bench_prefix(const BenchOptions& options);
std::vector<nlohmann::json> bench_judging(const BenchOptions& options);
std::vector<nlohmann::json> bench_serve(const BenchOptions& options);
std::vector<nlohmann::json> bench_allreduce(const BenchOptions& options);  ///< in several ranks

/// Returns the kind of processor, "GenuineIntel 6/143, AVX512_BF16": vendor, family, model and widest instruction set
/// (AVX512_BF16, AVX-512 or AVX2). `cpuinfo` is the text of /proc/cpuinfo; missing fields are "?".
std::string processor_kind(bool avx512, bool bfloat16, const std::string& cpuinfo);

/// Earlier measurements for comparison, from lines printed by `compeer bench --json`.
class BenchBaseline {
 public:
  /// Throws Error (exit 4) naming a line that is not a measurement.
  explicit BenchBaseline(const std::filesystem::path& file);

  /// Compares a measurement's best repetition with the baseline's: "1.02 of baseline", "1.31 of baseline: WORSE";
  /// "WORSE" or "better" if they differ by more than 8 %. "no baseline" if there is none for this measurement on this
  /// kind of processor.
  std::string compare(const nlohmann::json& line) const;

 private:
  std::map<std::string, double> best_;  // key: the measurement and the kind of processor
};

}  // namespace compeer::bench
