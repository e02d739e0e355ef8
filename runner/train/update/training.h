#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/safetensors.h"
#include "train/metrics/metric_row.h"
#include "train/update/optimizer.h"
#include "train/update/parameters.h"

namespace compeer::train {

struct RunContext;

/// Handles non-finite rewards, losses and gradients of any rank. By the spec's `nonfinite` all ranks stop the run, or
/// skip the step and leave weights and optimizer unchanged. Keeps a reference to the RunContext.
class NumericalCheck {
 public:
  explicit NumericalCheck(RunContext& run);

  /// True if steps with problems are skipped; otherwise an error may be thrown where the problem arises.
  bool skips_steps() const { return skips_steps_; }

  /// Local. Stores a problem of this rank, "the gradient of prompt 3 is not finite"; only the first one is kept.
  void report(const std::string& problem);
  /// Local. Reports a loss or gradient that is not finite. `place`: "prompt 3".
  void check(const std::string& place, double loss, bool finite_gradient);
  /// Local, to be called in each step: whether any log-prob on this rank is finite. True if it is never called.
  void set_model_works(bool works) { model_works_ = works; }

  /// Collective. True if any rank reported a problem since the last call of stop_or_skip.
  bool any_reported() const;

  /// Collective. To be called on all ranks if some value is not finite. Stops or skips: throws Error (exit 1) with step
  /// and problem on all ranks, or logs a warning and counts a skipped step. Throws Error (exit 4) instead of skipping
  /// if the model works on no rank (set_model_works), because all later steps would be skipped, too.
  void stop_or_skip(uint64_t step);

  /// Returns the number of steps and updates skipped since the last call; equal on all ranks.
  double take_skipped();

 private:
  // Collective. Throws Error (exit code 4: invalid data) if the model works on no rank.
  void stop_if_model_is_broken(uint64_t step);

  RunContext& run_;
  const bool skips_steps_;   // the spec's `nonfinite` is "skip"
  std::string problem_;      // first problem of this rank since the last stop_or_skip; "" if there was none
  bool model_works_ = true;  // see set_model_works
  double skipped_ = 0;       // steps skipped since the last take_skipped
};

/// Describes the items of a leaf, "prompt 4" or "prompts 4 to 7", if a step has `batch` items and a leaf `together` of
/// them.
std::string leaf_text(const std::string& item, int64_t leaf, int64_t together, int64_t batch);

/// The weights under training, with optimizer and reference weights. For a model with bfloat16 weights it holds float32
/// master weights, which the optimizer updates and from which the model's weights are rounded.
class Training {
 public:
  /// Local. Loads the optimizer state of the run's checkpoint if there is one. `lr`: peak learning rate. `updates`:
  /// number of updates of the whole run, for the schedule. Keeps a reference to `run`.
  Training(RunContext& run, double lr, uint64_t updates);

  Parameters parameters;
  NumericalCheck numerical_check;
  std::map<std::string, double> numbers;  ///< further state of the task, by name, which checkpoints contain

  /// Collective. Saves the weights at the start of the run as reference weights, or opens those of the checkpoint.
  void keep_reference();

  /// Returns a reduction of gradients for `update`, with the spec's settings. Collective if sums are on devices.
  Gradients gradients(int64_t leaves);

  /// Collective. Finishes the sum of gradients, clips it and updates the weights, bitwise identically on every rank. If
  /// the sum or `loss` is not finite, numerical_check stops the run or skips the update; a skipped update returns the
  /// learning rate NaN.
  Optimizer::Update update(uint64_t step, double loss, Gradients& gradients, PhaseClock& clock);

  /// Local. Runs `work` while the model has the reference weights. Needs keep_reference. The current weights are saved
  /// in `scratch` (parameters.size() elements) and restored afterwards, also if `work` throws.
  void with_reference_weights(std::span<float> scratch, const std::function<void()>& work);

  /// Collective. Writes optimizer state, master weights, `numbers` and reference weights to a checkpoint's folder.
  void save(const std::filesystem::path& folder);

 private:
  void load(const std::filesystem::path& folder);    // reads the state from a checkpoint
  void set_weights(std::span<const float> weights);  // sets the model's weights from float32 values
  void parameters_changed();                         // to be called after the model's weights were changed
  double norm(std::span<const float> gradient);      // Collective. Norm of the whole gradient, from this rank's part
  std::vector<ShardLayout::Array> state();           // arrays of this rank that checkpoints contain

  RunContext& run_;
  ShardLayout slices_;  // which elements of the state this rank owns
  Optimizer optimizer_;
  std::vector<float> masters_;                    // this rank's slice of the master weights; empty if there are none
  std::optional<record::Safetensors> reference_;  // mapped file: the ranks of a host share one copy in memory
};

}  // namespace compeer::train
