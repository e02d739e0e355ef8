#include "grpo/objective.h"

#include <ATen/ATen.h>

namespace compeer::grpo {

Aggregation aggregation_from(const std::string& name) {
  TORCH_CHECK(name == "grpo" || name == "bnpo" || name == "dr_grpo", "unknown loss '", name, "'");
  return name == "grpo" ? Aggregation::grpo : name == "bnpo" ? Aggregation::bnpo : Aggregation::dr_grpo;
}

double token_weight(Aggregation aggregation, int64_t length, const StepSize& step) {
  const auto completions = static_cast<double>(step.completions);
  switch (aggregation) {
    case Aggregation::grpo:
      return 1.0 / (completions * static_cast<double>(length));
    case Aggregation::bnpo:
      return 1.0 / static_cast<double>(step.tokens);
    case Aggregation::dr_grpo:
      return 1.0 / (completions * static_cast<double>(step.max_new_tokens));
  }
  return 0;
}

namespace {

// One value for each completion, repeated over its tokens.
at::Tensor spread(const std::vector<double>& values, const std::vector<int64_t>& lengths) {
  std::vector<float> all;
  for (size_t i = 0; i < lengths.size(); ++i)
    all.insert(all.end(), static_cast<size_t>(lengths[i]), static_cast<float>(values[i]));
  return at::tensor(all);
}

at::Tensor sequence_mean(const at::Tensor& tokens, const std::vector<int64_t>& lengths) {
  std::vector<at::Tensor> means;
  int64_t start = 0;
  for (const int64_t length : lengths) {
    means.push_back(tokens.slice(0, start, start + length).mean().expand({length}));
    start += length;
  }
  return at::cat(means);
}

}  // namespace

Loss policy_loss(const Tokens& tokens, const std::vector<double>& advantages, const std::vector<double>& weights,
                 const Clip& clip) {
  TORCH_CHECK(tokens.log_prob.dim() == 1 && tokens.log_prob.sizes() == tokens.old_log_prob.sizes(),
              "log-probs must be [tokens]");
  TORCH_CHECK(advantages.size() == tokens.lengths.size() && weights.size() == advantages.size(),
              "one advantage and weight for each completion");
  auto log_ratio = tokens.log_prob - tokens.old_log_prob;
  if (clip.sequence) log_ratio = sequence_mean(log_ratio, tokens.lengths);
  const auto ratio = log_ratio.exp();
  const auto advantage = spread(advantages, tokens.lengths);
  const auto plain = ratio * advantage, cut = ratio.clamp(1.0 - clip.low, 1.0 + clip.high) * advantage;
  Loss loss;
  loss.value = -(at::minimum(plain, cut) * spread(weights, tokens.lengths)).sum();
  loss.clipped = cut.lt(plain).sum().item<double>();
  loss.ratio_distance = (ratio - 1.0).abs().max().item<double>();
  return loss;
}

}  // namespace compeer::grpo
