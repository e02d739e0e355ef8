#include "grpo/average.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace compeer::grpo {

at::Tensor weights(Average average, const at::Tensor& mask, const StepSize& step) {
  switch (average) {
    case Average::completion:
      return mask / mask.sum(1, true).clamp_min(1.0) / step.completions;
    case Average::token:
      return mask / std::max(step.tokens, 1.0);
    case Average::constant:
      return mask / (step.completions * step.max_new_tokens);
    case Average::sum:
      return mask / step.completions;
  }
  TORCH_CHECK(false, "no such average");
}

}  // namespace compeer::grpo
