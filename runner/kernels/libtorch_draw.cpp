#include "kernels/libtorch_draw.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "kernels/libtorch_products.h"

namespace compeer::kernels {

Draws draw(const at::Tensor& hidden, Weight& head, double temperature, bool greedy,
           const std::vector<DrawPlace>& places) {
  const at::NoGradGuard no_grad;
  const auto matrix = head.value().to(head.in_pairs() ? at::kBFloat16 : at::kFloat);
  const auto device = matrix.device();
  const auto logits = sum_of_products(hidden.to(device).to(matrix.scalar_type()), matrix.t());
  // As the host scales them: in float32.
  const auto scaled = (logits * static_cast<float>(1.0 / temperature)).to(at::kDouble);
  const auto log_sum = scaled.logsumexp(1, true);
  const auto share = (scaled - log_sum).exp_();
  const auto entropy = log_sum.squeeze(1) - (share * scaled).sum(1);
  std::vector<int64_t> rows;
  std::vector<double> u;
  for (const DrawPlace& place : places) rows.push_back(place.row), u.push_back(place.u);
  const auto row = at::tensor(rows, at::kLong).to(device);
  at::Tensor token;
  if (greedy) {
    token = logits.argmax(1, true).index_select(0, row);
  } else {
    const auto below = share.cumsum(1).index_select(0, row);
    token = at::searchsorted(below, at::tensor(u, at::kDouble).to(device).unsqueeze(1), false, /*right=*/true)
                .clamp_max(logits.size(1) - 1);
  }
  const auto log_prob = scaled.index_select(0, row).gather(1, token) - log_sum.index_select(0, row);
  // One copy, one wait: in double precision, which holds ids.
  const auto all =
      at::stack({token.squeeze(1).to(at::kDouble), log_prob.squeeze(1), entropy.index_select(0, row)}).cpu();
  return {all[0].to(at::kLong), all[1].to(at::kFloat), all[2].to(at::kFloat)};
}

}  // namespace compeer::kernels
