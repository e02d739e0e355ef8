// Padding of a group's completions to [G, T], and reductions that ignore the padding.
#include "grpo/completions.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace compeer::grpo {

PaddedLayout::PaddedLayout(const std::vector<int64_t>& lengths, at::ScalarType type) {
  const auto rows = static_cast<int64_t>(lengths.size());
  const int64_t width = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  mask = at::zeros({rows, width}, type);
  index_ = at::zeros({rows * width}, at::kLong);
  int64_t first = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t length = lengths[static_cast<size_t>(row)];
    mask.select(0, row).slice(0, 0, length).fill_(1.0);
    index_.slice(0, row * width, row * width + length).copy_(at::arange(first, first + length));
    first += length;
  }
}

at::Tensor PaddedLayout::to_padded(const at::Tensor& values) const {
  return values.index_select(0, index_).view(mask.sizes());
}

void check(const Completions& c) {
  TORCH_CHECK(c.mask.dim() == 2 && c.mask.is_floating_point(), "mask must be floating [G, T]");
  TORCH_CHECK(c.advantage.dim() == 2 && c.advantage.size(0) == c.mask.size(0) &&
                  (c.advantage.size(1) == 1 || c.advantage.size(1) == c.mask.size(1)),
              "advantage must be [G, 1] or [G, T]");
  for (const auto* tensor : {&c.log_prob, &c.old_log_prob, &c.reference, &c.entropy, &c.sampled_entropy}) {
    const bool optional = tensor != &c.log_prob && tensor != &c.old_log_prob;
    TORCH_CHECK((optional && !tensor->defined()) || tensor->sizes() == c.mask.sizes(),
                "log-probs and entropies must be [G, T], like the mask");
  }
}

at::Tensor row_sum(const at::Tensor& values, const at::Tensor& mask) {
  return values.masked_fill(mask.eq(0), 0.0).sum(1, true);
}

at::Tensor row_mean(const at::Tensor& values, const at::Tensor& mask) {
  return row_sum(values, mask) / mask.sum(1, true).clamp_min(1.0);
}

}  // namespace compeer::grpo
