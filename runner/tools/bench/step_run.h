#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/bench.h"

namespace compeer::bench {

/// A GRPO run in a folder of its own, of made-up weights or of those in `model`, which an adapter may stand on: what
/// `compeer run` would do, with its log and rollouts, and every step alike. Prompts are esc_world's records, each of
/// which a chat template turns into so many letters, a token each; completions have all the same length, because the
/// weights give the end token no chance; the reward counts their characters.
struct StepLoad {
  std::string size, model;      ///< the size's name or the model's; its folder, or ""
  std::string compute, device;  ///< model.compute, model.device
  int64_t adapter = 0;          ///< rank; 0: the weights train
  int64_t prompts, group, prompt, fresh, steps, together;
  int64_t ranks = 1, threads = 1;

  /// The options' numbers, and the size's own where they have none.
  explicit StepLoad(const BenchOptions& options);

  std::string text() const;       ///< "toy, 8 x 4, 64 + 64, 1 rank, 1 thread"
  nlohmann::json fields() const;  ///< for a measurement
  double tokens() const;          ///< sampled in a step
};

/// The folder of a model, as an absolute path; Error (exit 4) if it is none.
std::filesystem::path model_folder(const std::string& given);

/// Writes model and tokenizer into `folder`: once for all runs of a load.
void write_step_model(const StepLoad& load, const std::filesystem::path& folder);

/// What was logged of each step but the first, which warms up. "seconds/whole" is from row to row.
class StepTimes {
 public:
  explicit StepTimes(const std::filesystem::path& run);

  const std::vector<double>& of(const std::string& column) const { return columns_.at(column); }
  std::vector<std::string> phases() const;
  std::vector<double> share(const std::string& phase) const;  ///< percent of the whole

 private:
  std::map<std::string, std::vector<double>> columns_;
};

/// What was logged of the run of an experiment, which `folder` has for a while.
StepTimes run_spec(const std::string& toml, const std::filesystem::path& folder);

/// One more than `load.steps` steps of it, with the model of `write_step_model`.
StepTimes run_steps(const StepLoad& load, const std::filesystem::path& folder);

}  // namespace compeer::bench
