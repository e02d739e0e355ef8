#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/measurement.h"

// `compeer bench NAME...`: measures the speed of this build on this machine. A benchmark does the same work several
// times and returns measurements, each a JSON object with the minimum, median and maximum. Benchmarks never fail
// because of a time.

namespace compeer::bench {

/// Options of all benchmarks; each uses some of them. 0 means the default, which depends on the model size.
struct BenchOptions {
  std::string size = "toy";                       ///< size of a model with random weights: toy, small, 0.5b or 7b
  std::string dtype = "fp32";                     ///< storage format of weights: fp32, bf16, q8_0 or q4_0
  std::string compute = "float32";                ///< number format of matrix products: float32 or bfloat16
  std::string device = "cpu";                     ///< cpu or cuda
  int threads = 0;                                ///< threads per process; 0: all processors or 1, by benchmark
  int64_t batch = 0, prompt = 0, new_tokens = 0;  ///< number of sequences, tokens per prompt, new tokens per sequence
  int64_t seq = 0;                                ///< tokens per training sequence
  int64_t prompts = 0, group = 0;                 ///< prompts per training step, completions per prompt
  /// Training steps; processes (ranks); prompt groups that a rank accumulates before the reduction, or, in "train",
  /// sequences per backward pass.
  int64_t steps = 0, ranks = 0, groups_per_reduction = 0;
  int64_t repeats = 0;  ///< number of repetitions
  /// Model folders. `model`: the model that is measured (in "judging" the judge, in "scoring" the policy); "": a model
  /// of size `size`. `prm`, `orm`: the judges of reasoning steps and of replies in "judging"; "": `model`.
  std::string model, prm, orm;
  int64_t adapter = 0;                  ///< rank of a LoRA adapter that is trained in place of the weights; 0: none
  std::string verdict_mode = "answer";  ///< value of the judges' setting `score_by`: how scores are read from answers
};

// Each runs one benchmark and returns its measurements.

/// Start-up time of the programs compeer and compeer-worker.
std::vector<nlohmann::json> bench_start(const BenchOptions& options);
/// Cost of logging: a row of metrics, the rollouts of a step, and the share of logging in a small run.
std::vector<nlohmann::json> bench_record(const BenchOptions& options);
/// A GRPO run as `compeer run` performs it: time of a step and of its phases.
std::vector<nlohmann::json> bench_grpo_step(const BenchOptions& options);
/// The same run with several numbers of ranks and threads.
std::vector<nlohmann::json> bench_scaling(const BenchOptions& options);
/// GRPO runs with judges behind a slow HTTP endpoint: the time of scoring that sampling does not hide.
std::vector<nlohmann::json> bench_scoring(const BenchOptions& options);

// The following start a worker process, `compeer-worker model bench_NAME OPTIONS`, which prints its measurements.

/// Matrix products, compared with libtorch's.
std::vector<nlohmann::json> bench_kernels(const BenchOptions& options);
/// A model's prefill and decoding.
std::vector<nlohmann::json> bench_generate(const BenchOptions& options);
/// Forward pass, backward pass and optimizer of supervised fine-tuning.
std::vector<nlohmann::json> bench_train(const BenchOptions& options);
/// Gain from prefix sharing: computing a group's common prompt once.
std::vector<nlohmann::json> bench_prefix(const BenchOptions& options);
/// Time of scoring with language models as judges.
std::vector<nlohmann::json> bench_judging(const BenchOptions& options);
/// Generation by concurrent requests over HTTP.
std::vector<nlohmann::json> bench_serve(const BenchOptions& options);
/// Sums over several ranks, compared with MPI's.
std::vector<nlohmann::json> bench_allreduce(const BenchOptions& options);

/// Returns the kind of processor, "GenuineIntel 6/143, AVX512_BF16": vendor, family, model and widest instruction set
/// (AVX512_BF16, AVX-512 or AVX2). `avx512`, `bfloat16`: the processor has AVX-512, AVX512_BF16. `cpuinfo` is the text
/// of /proc/cpuinfo; missing fields are "?".
std::string processor_kind(bool avx512, bool bfloat16, const std::string& cpuinfo);

/// Earlier measurements for comparison, from lines printed by `compeer bench --json`.
class BenchBaseline {
 public:
  /// Reads the file. Throws Error (exit code 4: invalid data) naming a line that is not a measurement.
  explicit BenchBaseline(const std::filesystem::path& file);

  /// Compares a measurement's best repetition with the baseline's: "1.02 of baseline", "1.31 of baseline: WORSE";
  /// "WORSE" or "better" if they differ by more than 8 %. "no baseline" if there is none for this measurement on this
  /// kind of processor.
  std::string compare(const nlohmann::json& line) const;

 private:
  // Measurement, with its sizes and the kind of processor, as JSON text -> its best repetition: the maximum for rates
  // (units that end with "/s"), otherwise the minimum.
  std::map<std::string, double> best_;
};

}  // namespace compeer::bench
