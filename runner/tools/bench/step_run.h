#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/bench.h"

namespace compeer::bench {

/// The workload of a GRPO run as `compeer run` performs it, with logging and rollouts, in which all steps are alike.
/// The model has random weights or those in `model`, optionally with an adapter. Prompts have a fixed number of tokens
/// (a chat template turns each record of esc_world into that many letters), completions have a fixed length (the end
/// token is never drawn), and the reward counts characters.
struct StepLoad {
  std::string size, model;      ///< name of the size or model; the model's folder, or ""
  std::string compute, device;  ///< model.compute, model.device
  int64_t adapter = 0;          ///< rank of the adapter; 0: the weights train
  /// Prompts per step, completions per prompt, tokens per prompt, new tokens per completion, measured steps, groups per
  /// leaf of the reduction.
  int64_t prompts, group, prompt, new_tokens, steps, groups_per_reduction;
  int64_t ranks = 1, threads = 1;

  /// Takes the numbers of the options, or the size's defaults for those that are 0.
  explicit StepLoad(const BenchOptions& options);

  std::string text() const;       ///< "toy, 8 x 4, 64 + 64, 1 rank, 1 thread"
  nlohmann::json fields() const;  ///< fields for a measurement
  double tokens() const;          ///< number of tokens sampled per step
};

/// Returns the absolute path of a model folder. Throws Error (exit 4) if it has no config.json.
std::filesystem::path model_folder(const std::string& given);

/// Writes model and tokenizer into `folder`, for all runs of a workload.
void write_step_model(const StepLoad& load, const std::filesystem::path& folder);

/// The logged columns of each step except the first, which warms up. "seconds/whole" is the time between rows.
class StepTimes {
 public:
  explicit StepTimes(const std::filesystem::path& run);

  const std::vector<double>& of(const std::string& column) const { return columns_.at(column); }
  /// Returns the names of the logged phases of a step.
  std::vector<std::string> phases() const;
  std::vector<double> share(const std::string& phase) const;  ///< in percent of "seconds/whole"

 private:
  std::map<std::string, std::vector<double>> columns_;
};

/// Runs an experiment, given as TOML, in `folder` and returns its logged times. The run's folder is removed.
StepTimes run_spec(const std::string& toml, const std::filesystem::path& folder);

/// Runs `load.steps` + 1 steps with the model of `write_step_model` in `folder`.
StepTimes run_steps(const StepLoad& load, const std::filesystem::path& folder);

}  // namespace compeer::bench
