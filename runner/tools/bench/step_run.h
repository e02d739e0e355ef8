#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/bench.h"

// Runs GRPO for benchmarks, as `compeer run` does, and reads the times from the run's log.

namespace compeer::bench {

/// The workload of a GRPO run in which all steps take the same time, with logging and rollouts. The model has random
/// weights or those in `model`, optionally with an adapter. Prompts have a fixed number of tokens (a chat template
/// turns each record of esc_world into that many letters), completions have a fixed length (the end token is never
/// drawn), and the reward counts characters.
struct StepLoad {
  std::string size, model;      ///< name of the model size, or of the model's folder; the model's folder, or ""
  std::string compute, device;  ///< the settings model.compute ("float32") and model.device ("cpu")
  int64_t adapter = 0;          ///< rank of the adapter; 0: the weights train
  /// Prompts per step, completions per prompt, tokens per prompt, new tokens per completion, measured steps, prompt
  /// groups that a rank accumulates before the reduction.
  int64_t prompts, group, prompt, new_tokens, steps, groups_per_reduction;
  int64_t ranks = 1, threads = 1;  ///< processes, threads per process

  /// Takes the numbers of the options, or the size's defaults for those that are 0.
  explicit StepLoad(const BenchOptions& options);

  std::string text() const;  ///< "toy, 8 x 4, 64 + 64, 1 rank, 1 thread": size, prompts x group, prompt + new tokens
  nlohmann::json fields() const;  ///< the sizes as JSON fields, to be added to a measurement
  double tokens() const;          ///< number of tokens sampled per step
};

/// Returns the absolute path of the model folder `given`. Throws Error (exit code 4: invalid data) if it has no
/// config.json.
std::filesystem::path model_folder(const std::string& given);

/// Writes the model and the tokenizer of a workload into `folder`: random weights, or links to the files of
/// `load.model`.
void write_step_model(const StepLoad& load, const std::filesystem::path& folder);

/// The logged metrics of a run, for each step except the first, which warms up. The additional column "seconds/whole"
/// is the time from the end of the previous step.
class StepTimes {
 public:
  /// Reads the log of the run folder `run`.
  explicit StepTimes(const std::filesystem::path& run);

  /// Returns the values of a column, [step].
  const std::vector<double>& of(const std::string& column) const { return columns_.at(column); }
  /// Returns the phases of a step whose seconds are logged: "rollout" for the column "seconds/rollout".
  std::vector<std::string> phases() const;
  /// Returns a phase's part of "seconds/whole" in percent, [step].
  std::vector<double> share(const std::string& phase) const;

 private:
  std::map<std::string, std::vector<double>> columns_;  // name of a column -> its values, [step]
};

/// Runs an experiment, given as TOML, and returns its logged times. Files are written into `folder`; the run's folder
/// in it is removed. Throws Error if the run fails.
StepTimes run_spec(const std::string& toml, const std::filesystem::path& folder);

/// Runs `load.steps` + 1 steps of the workload and returns the times of all but the first. `folder`: the folder that
/// write_step_model() has written.
StepTimes run_steps(const StepLoad& load, const std::filesystem::path& folder);

}  // namespace compeer::bench
