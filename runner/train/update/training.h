#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/tree_sum.h"
#include "record/safetensors.h"
#include "train/metrics/clock.h"
#include "train/update/optimizer.h"
#include "train/update/parameters.h"
#include "train/update/slices.h"
#include "train/update/soundness.h"

namespace compeer::train {

struct Run;

/// The weights under training, and all that moves with them. A model that computes with bfloat16 weights has masters in
/// float32 here, which the optimizer moves and of which the model's are the rounding.
class Training {
 public:
  /// `reference`: keep the weights that the run began with.
  Training(Run& run, double lr, uint64_t updates, bool reference = false);

  Parameters parameters;
  Soundness soundness;
  std::map<std::string, double> numbers;  ///< of the task, by name: what else a checkpoint is to keep

  /// A sum of gradients, as `update` takes it.
  comm::TreeSum gradients(int64_t leaves);

  /// Collective. Clips the sum of the gradients and moves the weights by it: the same bits on every rank. If sum or
  /// `loss` are not finite, `soundness` decides; a step that is left out has no learning rate.
  Optimizer::Update update(uint64_t step, double loss, comm::TreeSum& gradients, Clock& clock);

  /// Runs `work` while the model has the weights that the run began with; its own wait in `aside`.
  void as_reference(std::span<float> aside, const std::function<void()>& work);

  /// Collective. What a checkpoint holds beside the weights.
  void save(const std::filesystem::path& folder);

 private:
  void load(const std::filesystem::path& folder);
  void open_reference();
  void become(std::span<const float> weights);
  void changed();
  double norm(std::span<const float> gradient);
  std::vector<Slices::Array> state();

  Run& run_;
  Slices slices_;
  Optimizer optimizer_;
  std::vector<float> masters_;                    // this rank's slice, or nothing
  std::optional<record::Safetensors> reference_;  // a mapped file: one copy in memory for all ranks of a host
};

}  // namespace compeer::train
