#pragma once
#include <ATen/ATen.h>

#include "train/update/learning.h"

namespace compeer::train {

/// Returns a prompt of two tokens with two sampled completions, of 3 and 2 tokens; the second is truncated.
inline PromptGroup group_of_two(int64_t index) {
  PromptGroup group;
  group.index = index;
  group.prompt = {5, 6};
  for (size_t i = 0; i < 2; ++i) {
    rollout::Sample sample;
    sample.tokens.assign(3 - i, 3);
    sample.log_probs.assign(3 - i, -1.0f);
    sample.entropies = i == 0 ? std::vector<float>{0.1f, 0.4f, 0.8f} : std::vector<float>{0.6f, 0.2f};
    sample.finished = i == 0;
    group.samples.push_back(sample);
  }
  return group;
}

/// A "model" of one parameter: the same distribution over seven tokens at every position.
class Seven : public Model, public PolicyPass {
 public:
  ModelShape shape() const override { return {}; }
  at::Tensor forward(const Batch&, Cache*) override { return {}; }
  at::Tensor head() override { return logits; }
  std::vector<Parameter> parameters() override { return {{"logits", logits}}; }
  void parameters_changed() override {}
  void save(const std::string&) override {}

  kernels::TokenLogprobs forward(const PackedBatch& batch) override {
    const auto log_p = at::log_softmax(logits, 0);
    return {log_p.index_select(0, batch.targets), -(log_p.exp() * log_p).sum().expand({batch.targets.numel()})};
  }
  at::Tensor logits =
      at::tensor(std::vector<float>{0.3f, -0.2f, 0.9f, 0.1f, -1.1f, 0.4f, 0.0f}).set_requires_grad(true);
};

}  // namespace compeer::train
