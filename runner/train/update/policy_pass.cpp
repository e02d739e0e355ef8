#include "train/update/policy_pass.h"

#include <c10/util/Exception.h>

#include "comm/phase.h"
#include "train/update/parts.h"

namespace compeer::train {

void PolicyPass::backward_in_parts(const GroupBatch&, const at::Tensor&, const at::Tensor&,
                                   const std::function<void()>&) {
  TORCH_CHECK(false, "this policy is differentiated as a whole");
}

kernels::TokenLogprobs ModelPass::forward(const GroupBatch& batch) {
  const comm::Phase here("train", model_.identity().title());
  return model_.call("forward", [&](Model&) { return log_probs(policy_, batch, temperature_); });
}

bool ModelPass::needs_parts(const GroupBatch& batch) const { return batch.batch.tokens.numel() > most_tokens_; }

void ModelPass::backward_in_parts(const GroupBatch& batch, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                                  const std::function<void()>& before_last) {
  const comm::Phase here("train", model_.identity().title());
  model_.call("forward", [&](Model&) {
    train::backward_in_parts(policy_, batch, temperature_, most_tokens_, dlog_prob, dentropy, before_last);
  });
}

}  // namespace compeer::train
