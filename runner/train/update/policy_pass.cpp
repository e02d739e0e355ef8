// Forward and backward passes of a group through the policy; the backward pass of a large group runs in parts.
#include "train/update/policy_pass.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <algorithm>

#include "comm/phase.h"
#include "plugin/open.h"
#include "rollout/pass.h"

namespace compeer::train {

namespace {

// Consecutive completions of a group, with the ranges of their rows and targets.
struct GroupPart {
  std::vector<int64_t> lengths;
  int64_t row = 0, rows = 0, target = 0, targets = 0;
};

std::vector<GroupPart> parts_of(const PackedBatch& group, int64_t most) {
  std::vector<GroupPart> parts(1);
  for (const int64_t length : group.lengths) {
    const GroupPart& last = parts.back();
    if (!last.lengths.empty() && last.rows + length - 1 > most)
      parts.push_back({{}, last.row + last.rows, 0, last.target + last.targets, 0});
    parts.back().lengths.push_back(length);
    parts.back().rows += length - 1;
    parts.back().targets += length;
  }
  return parts;
}

at::Tensor leaf(const at::Tensor& value) { return value.detach().clone().requires_grad_(true); }

class GroupInParts {
 public:
  GroupInParts(rollout::Policy& policy, const PackedBatch& group, double temperature)
      : policy_(policy),
        group_(group),
        temperature_(temperature),
        embedded_(plugin::optional_interface<TrainableInParts>(policy.model, "this model can't be trained in parts")
                      .embed(group.batch)),
        dembedded_(at::empty_like(embedded_)) {
    const Segment& all = group.batch.segments.back();
    begin_ = leaf(embedded_.narrow(0, all.start, all.length));
    Batch prompt{group.batch.tokens.narrow(0, all.start, all.length), {all}};
    prompt.segments.front().start = 0;
    prompt.embedded = begin_;
    prompt.prefix_out = prefix_;
    hidden_ = policy.model.forward(prompt, nullptr);
    dhidden_ = at::zeros_like(hidden_);
  }

  void backward(const GroupPart& part, const at::Tensor& dlog_prob, const at::Tensor& dentropy) {
    const auto rows = leaf(embedded_.narrow(0, part.row, part.rows));
    const auto count = static_cast<int64_t>(part.lengths.size());
    const auto first = leaf(hidden_.narrow(0, hidden_.size(0) - 1, 1).expand({count, hidden_.size(1)}));
    const auto hidden = at::index_select(at::cat({first, run(part, rows)}), 0, places(part));
    const auto known = policy_.arithmetic.token_logprobs(
        hidden, policy_.head, group_.targets.narrow(0, part.target, part.targets), temperature_, part.lengths);
    auto into_model = (known.log_prob * dlog_prob.narrow(0, part.target, part.targets)).sum();
    if (dentropy.defined())
      into_model = into_model + (known.entropy * dentropy.narrow(0, part.target, part.targets)).sum();
    into_model.backward();
    if (part.rows > 0) dembedded_.narrow(0, part.row, part.rows).copy_(rows.grad());
    auto last = dhidden_.narrow(0, dhidden_.size(0) - 1, 1);
    for (int64_t i = 0; i < count; ++i) last.add_(first.grad().narrow(0, i, 1));
  }

  void finish() {
    hidden_.backward(dhidden_);
    dembedded_.narrow(0, dembedded_.size(0) - begin_.size(0), begin_.size(0)).copy_(begin_.grad());
    if (embedded_.requires_grad()) embedded_.backward(dembedded_);
  }

 private:
  at::Tensor run(const GroupPart& part, const at::Tensor& rows) {
    if (part.rows == 0) return rows;
    Batch batch{group_.batch.tokens.narrow(0, part.row, part.rows), {}};
    for (Segment segment : group_.batch.segments) {
      if (segment.parent < 0 || segment.start < part.row || segment.start >= part.row + part.rows) continue;
      segment.start -= part.row;
      segment.parent = -1;
      batch.segments.push_back(segment);
    }
    batch.embedded = rows;
    batch.prefix_in = prefix_;
    return policy_.model.forward(batch, nullptr);
  }

  // Rows that predict a part's targets: for each completion its copy of the prompt's last row, then its own rows.
  static at::Tensor places(const GroupPart& part) {
    std::vector<int64_t> all;
    auto next = static_cast<int64_t>(part.lengths.size());
    for (size_t i = 0; i < part.lengths.size(); ++i) {
      all.push_back(static_cast<int64_t>(i));
      for (int64_t j = 1; j < part.lengths[i]; ++j) all.push_back(next++);
    }
    return rollout::int_tensor(all);
  }

  rollout::Policy& policy_;
  const PackedBatch& group_;
  double temperature_;
  std::shared_ptr<SharedPrefix> prefix_ = std::make_shared<SharedPrefix>();
  at::Tensor embedded_, dembedded_;      // of all rows
  at::Tensor begin_, hidden_, dhidden_;  // of the prompt: embeddings, hidden states and their gradient
};

}  // namespace

void PolicyPass::backward_in_parts(const PackedBatch&, const at::Tensor&, const at::Tensor&,
                                   const std::function<void()>&) {
  TORCH_CHECK(false, "this policy is differentiated as a whole");
}

kernels::TokenLogprobs ModelPass::forward(const PackedBatch& batch) {
  const comm::Phase here("train", model_.identity().title());
  return model_.call("forward", [&](Model&) { return log_probs(policy_, batch, temperature_); });
}

bool ModelPass::needs_parts(const PackedBatch& batch) const { return batch.batch.tokens.numel() > most_tokens_; }

void ModelPass::backward_in_parts(const PackedBatch& batch, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                                  const std::function<void()>& before_last) {
  const comm::Phase here("train", model_.identity().title());
  model_.call("forward", [&](Model&) {
    train::backward_in_parts(policy_, batch, temperature_, most_tokens_, dlog_prob, dentropy, before_last);
  });
}

void backward_in_parts(rollout::Policy& policy, const PackedBatch& group, double temperature, int64_t most,
                       const at::Tensor& dlog_prob, const at::Tensor& dentropy, const std::function<void()>& last) {
  GroupInParts all(policy, group, temperature);
  for (const GroupPart& part : parts_of(group, most)) all.backward(part, dlog_prob, dentropy);
  if (last) last();
  all.finish();
}

}  // namespace compeer::train
