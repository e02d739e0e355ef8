#pragma once
#include <span>
#include <string>
#include <vector>

#include "compeer/settings.h"
#include "kernels/adamw.h"

namespace compeer::train {

/// AdamW with clipping by the global norm and a schedule of the learning rate.
class Optimizer {
 public:
  /// `settings` is the spec's table `optimizer`; lr and steps come from the task. `parameters`: how many of the model's
  /// it looks after.
  Optimizer(const Settings& settings, double lr, uint64_t steps, int64_t parameters);

  /// One step on the summed gradient, which is clipped by `norm`, that of the whole model.
  struct Update {
    double gradient_norm, lr;
  };
  Update step(std::span<const float> gradient, double norm, std::span<float> weights);

  /// Learning rate of update t = 1, 2, ...: linear warm-up, then constant, or down to 0 by a cosine or a line.
  double rate(uint64_t t) const;

  /// Its state: one number of each for each parameter, and how many updates it made.
  std::vector<float>& mean() { return m_; }
  std::vector<float>& mean_square() { return v_; }
  uint64_t& updates() { return done_; }

 private:
  kernels::AdamW adamw_;
  double lr_, max_norm_;
  std::string schedule_;
  uint64_t warmup_, steps_, done_ = 0;
  std::vector<float> m_, v_;
};

/// The norm of a whole gradient.
double norm_of(std::span<const float> gradient);

}  // namespace compeer::train
