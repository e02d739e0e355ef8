#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "compeer/settings.h"
#include "kernels/adamw.h"

namespace compeer::train {

/// AdamW with clipping by the global norm and a schedule of the learning rate.
class Optimizer {
 public:
  /// `settings` is the spec's table `optimizer`; lr and steps come from the task.
  Optimizer(const Settings& settings, double lr, uint64_t steps, int64_t parameters);

  /// One step on the summed gradient. Returns the gradient's norm before clipping.
  struct Update {
    double gradient_norm, lr;
  };
  Update step(std::span<const float> gradient, std::span<float> weights);

  /// Learning rate of update t = 1, 2, ...: linear warm-up, then constant, or down to 0 by a cosine or a line.
  double rate(uint64_t t) const;

  void save(const std::filesystem::path& file) const;  ///< optimizer.safetensors
  void load(const std::filesystem::path& file);

 private:
  kernels::AdamW adamw_;
  double lr_, max_norm_;
  std::string schedule_;
  uint64_t warmup_, steps_, done_ = 0;
  std::vector<float> m_, v_;
};

}  // namespace compeer::train
