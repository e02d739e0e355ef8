#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "grpo/completions.h"

namespace compeer::grpo {

/// Returns one completion with the given token log-probabilities (current and old) and advantages.
inline Completions completion(std::vector<double> now, std::vector<double> old, std::vector<double> advantage) {
  const auto row = [](const std::vector<double>& values) { return at::tensor(values, at::kDouble).unsqueeze(0); };
  Completions c;
  c.log_prob = row(now).set_requires_grad(true);
  c.old_log_prob = row(old);
  c.mask = at::ones_like(c.old_log_prob);
  c.advantage = row(advantage);
  return c;
}

/// Returns a completion of three tokens with probability ratios 0.5, 1, 1.5 and advantages 1, -1, 2.
inline Completions three_tokens() { return completion({-1.69315, -1, -0.59453}, {-1, -1, -1}, {1, -1, 2}); }

inline void expect_near(const at::Tensor& a, std::vector<double> expected, double tolerance) {
  ASSERT_EQ(a.numel(), static_cast<int64_t>(expected.size()));
  const auto flat = a.detach().flatten().to(at::kDouble);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(flat[static_cast<int64_t>(i)].item<double>(), expected[i], tolerance) << "place " << i;
  }
}

}  // namespace compeer::grpo
