#include "train/update/optimizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/arrays.h"

namespace compeer::train {

Optimizer::Optimizer(const Settings& settings, double lr, uint64_t steps, int64_t parameters)
    : lr_(lr),
      max_norm_(settings.number("max_grad_norm")),
      schedule_(settings.text("schedule")),
      warmup_(static_cast<uint64_t>(settings.integer("warmup"))),
      steps_(steps),
      m_(static_cast<size_t>(parameters)),
      v_(static_cast<size_t>(parameters)) {
  adamw_.beta1 = settings.number("beta1");
  adamw_.beta2 = settings.number("beta2");
  adamw_.epsilon = settings.number("epsilon");
  adamw_.weight_decay = settings.number("weight_decay");
}

double Optimizer::rate(uint64_t t) const {
  if (t <= warmup_) return lr_ * static_cast<double>(t) / static_cast<double>(warmup_);
  if (schedule_ == "constant" || steps_ <= warmup_) return lr_;
  const double done = static_cast<double>(std::min(t, steps_) - warmup_ - 1) / static_cast<double>(steps_ - warmup_);
  return schedule_ == "cosine" ? lr_ * 0.5 * (1.0 + std::cos(std::numbers::pi * done)) : lr_ * (1.0 - done);
}

double norm_of(std::span<const float> gradient) {
  return std::sqrt(kernels::square_sum(gradient.data(), static_cast<int64_t>(gradient.size())));
}

Optimizer::Update Optimizer::step(std::span<const float> gradient, double norm, std::span<float> weights) {
  const double scale = max_norm_ > 0 && norm > max_norm_ ? max_norm_ / (norm + 1e-6) : 1.0;
  adamw_.lr = rate(++done_);
  kernels::adamw_step(adamw_, static_cast<int64_t>(done_), gradient.data(), static_cast<float>(scale),
                      static_cast<int64_t>(gradient.size()), weights.data(), m_.data(), v_.data());
  return {norm, adamw_.lr};
}

}  // namespace compeer::train
