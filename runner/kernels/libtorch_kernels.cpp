// Products, attention and sampling with libtorch, with bfloat16 factors and float32 sums.
#include "kernels/libtorch_kernels.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>

namespace compeer::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::Tensor in_bfloat16(const at::Tensor& x) { return x.to(at::kBFloat16); }

// x W^T of factors rounded to bfloat16. The gradient of W is float32 for any type of W.
struct PairsProduct : torch::autograd::Function<PairsProduct> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& matrix) {
    const auto factor = in_bfloat16(x);
    context->save_for_backward({factor, matrix});
    return sum_of_products(factor, in_bfloat16(matrix).t());
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto upstream = in_bfloat16(gradients[0]);
    tensor_list own(2);
    if (context->needs_input_grad(0)) own[0] = sum_of_products(upstream, in_bfloat16(saved[1]));
    if (context->needs_input_grad(1)) own[1] = sum_of_products(upstream.t(), saved[0]);
    return own;
  }
};

// Embedding whose gradient is float32 for any type of weights.
struct Embedded : torch::autograd::Function<Embedded> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& tokens, const at::Tensor& weight) {
    context->save_for_backward({tokens});
    context->saved_data["vocabulary"] = weight.size(0);
    return weight.index_select(0, tokens).to(at::kFloat);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto tokens = context->get_saved_variables()[0];
    return {at::Tensor(), at::embedding_dense_backward(gradients[0], tokens, context->saved_data["vocabulary"].toInt(),
                                                       /*padding_idx=*/-1, /*scale_grad_by_freq=*/false)};
  }
};

}  // namespace

// On CUDA a bfloat16 product can return float32 sums. On other devices it would round them to bfloat16, so the factors
// are widened first.
at::Tensor sum_of_products(const at::Tensor& a, const at::Tensor& b) {
  if (a.is_cuda() && a.scalar_type() == at::kBFloat16) return at::mm(a, b, at::kFloat);
  return at::mm(a.to(at::kFloat), b.to(at::kFloat));
}

at::Tensor rounded_factor(const at::Tensor& x, bool pairs) {
  return pairs && !at::GradMode::is_enabled() ? in_bfloat16(x) : x;
}

at::Tensor linear_product(const at::Tensor& x, const at::Tensor& matrix, bool pairs) {
  if (pairs && !at::GradMode::is_enabled()) return sum_of_products(in_bfloat16(x), in_bfloat16(matrix).t());
  return pairs ? PairsProduct::apply(x, matrix) : at::linear(x, matrix.to(at::kFloat));
}

at::Tensor embedding_rows(const at::Tensor& tokens, const at::Tensor& weight) {
  return Embedded::apply(tokens.to(weight.device()), weight);
}

at::Tensor AttentionFactors::mask(const at::Tensor& visible) const {
  const auto none = at::zeros({}, at::TensorOptions(visible.device()).dtype(type));
  const auto mask = at::where(visible, none, none - std::numeric_limits<float>::infinity());
  return mask.unsqueeze(1).repeat({1, 1, heads.queries_per_key(), 1});
}

// The query heads that share a key head are treated as additional rows.
at::Tensor AttentionFactors::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                    const at::Tensor& mask) const {
  const int64_t n = mask.size(0), share = heads.queries_per_key(), length = mask.size(2) / share;
  const auto factor = [&](const at::Tensor& x) { return heads.pairs ? in_bfloat16(x).to(type) : x.to(type); };
  const auto queries = factor(q)
                           .view({n, length, heads.key, share, heads.dim})
                           .permute({0, 2, 3, 1, 4})
                           .reshape({n, heads.key, share * length, heads.dim});
  return at::scaled_dot_product_attention(queries, factor(k).transpose(1, 2), factor(v).transpose(1, 2), mask)
      .view({n, heads.key, share, length, heads.dim})
      .permute({0, 3, 1, 2, 4})
      .reshape({n * length, heads.query_width()});
}

Draws draw(const at::Tensor& hidden, Weight& head, double temperature, bool greedy,
           const std::vector<DrawPlace>& places) {
  const at::NoGradGuard no_grad;
  const auto matrix = head.value().to(head.in_pairs() ? at::kBFloat16 : at::kFloat);
  const auto device = matrix.device();
  const auto logits = sum_of_products(hidden.to(device).to(matrix.scalar_type()), matrix.t());
  // Scaled in float32, as on the host.
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
  // A single copy to the host, with one synchronization. float64 represents token ids exactly.
  const auto all =
      at::stack({token.squeeze(1).to(at::kDouble), log_prob.squeeze(1), entropy.index_select(0, row)}).cpu();
  return {all[0].to(at::kLong), all[1].to(at::kFloat), all[2].to(at::kFloat)};
}

}  // namespace compeer::kernels
