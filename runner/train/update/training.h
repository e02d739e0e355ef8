#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/safetensors.h"
#include "train/metrics/clock.h"
#include "train/update/gradients.h"
#include "train/update/numerical_check.h"
#include "train/update/optimizer.h"
#include "train/update/parameters.h"
#include "train/update/slices.h"

namespace compeer::train {

struct RunContext;

/// The weights under training, and all that moves with them. A model that computes with bfloat16 weights has masters in
/// float32 here, which the optimizer moves and of which the model's are the rounding.
class Training {
 public:
  /// Local. Goes on from the run's checkpoint if there is one. `updates`: of the whole run, for the schedule.
  Training(RunContext& run, double lr, uint64_t updates);

  Parameters parameters;
  NumericalCheck numerical_check;
  std::map<std::string, double> numbers;  ///< of the task, by name: what else a checkpoint is to keep

  /// Keeps the weights that the run began with, for `with_reference_weights`. Meets the other ranks.
  void keep_reference();

  /// A sum of gradients, as `update` takes it. Meets the other ranks.
  Gradients gradients(int64_t leaves);

  /// Clips the sum of the gradients and moves the weights by it: the same bits on every rank. If sum or `loss` are not
  /// finite, `numerical_check` stops the run or skips the update, whose learning rate is then NaN. Meets the other
  /// ranks.
  Optimizer::Update update(uint64_t step, double loss, Gradients& gradients, PhaseClock& clock);

  /// Runs `work` while the model has the weights that the run began with; its own are kept in `scratch`.
  void with_reference_weights(std::span<float> scratch, const std::function<void()>& work);

  /// Writes what a checkpoint holds beside the weights. Meets the other ranks.
  void save(const std::filesystem::path& folder);

 private:
  void load(const std::filesystem::path& folder);
  void set_weights(std::span<const float> weights);
  void parameters_changed();
  double norm(std::span<const float> gradient);
  std::vector<Slices::Array> state();

  RunContext& run_;
  Slices slices_;
  Optimizer optimizer_;
  std::vector<float> masters_;                    // this rank's slice, or nothing
  std::optional<record::Safetensors> reference_;  // a mapped file: one copy in memory for all ranks of a host
};

}  // namespace compeer::train
