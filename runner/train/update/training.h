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

/// Rewards, losses and gradients that are not finite, on whichever rank. The spec's `nonfinite` stops the run, or skips
/// the step, so that weights and optimizer stay as they were. All ranks do the same.
class NumericalCheck {
 public:
  explicit NumericalCheck(RunContext& run);

  /// Whether such steps are skipped; if not, an error may be thrown where it arises.
  bool skips_steps() const { return skips_steps_; }

  /// Local: keeps the first problem of this rank, "the gradient of prompt 3 is not finite".
  void report(const std::string& problem);
  /// Local: reports a loss or a gradient that is not finite. `place`: "prompt 3".
  void check(const std::string& place, double loss, bool finite_gradient);
  /// Local, in each step: whether any log-probability on this rank is finite. Taken for true where nobody calls it.
  void set_model_works(bool works) { model_works_ = works; }

  /// True if any rank reported a problem since the last decision. Meets the other ranks.
  bool any_reported() const;

  /// To be called when all ranks know that something is not finite. Throws on all of them an Error that names rank,
  /// step and problem, or logs this and counts the step as skipped. Where the model works on no rank it stops the run
  /// in any case, because all later steps would be skipped. Meets the other ranks.
  void stop_or_skip(uint64_t step);

  /// Steps and updates that were skipped since the last call; the same on all ranks.
  double take_skipped();

 private:
  void stop_if_model_is_broken(uint64_t step);

  RunContext& run_;
  const bool skips_steps_;
  std::string problem_;
  bool model_works_ = true;
  double skipped_ = 0;
};

/// "prompt 4" or "prompts 4 to 7": what a leaf of the sum over ranks has, if a step has `batch` items and a leaf
/// `together` of them.
std::string leaf_text(const std::string& item, int64_t leaf, int64_t together, int64_t batch);

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
