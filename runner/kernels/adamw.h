#pragma once
#include <cstdint>

namespace compeer::kernels {

/// Hyperparameters of AdamW (Adam with decoupled weight decay), the optimizer of training.
struct AdamW {
  /// Learning rate; decay rates of the first and second moment; term added to the denominator; weight decay.
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.0;
};

/// Updates `weight` and its moments `m` and `v`, each [count], by one step of AdamW, with g = `gradient` [count] *
/// `scale` (the factor of gradient clipping) and t = `step`, which counts from 1:
///   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
///   w = w - lr * weight_decay * w - lr * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
/// Multi-threaded; elements are independent.
void adamw_step(const AdamW& settings, int64_t step, const float* gradient, float scale, int64_t count, float* weight,
                float* m, float* v);

}  // namespace compeer::kernels
