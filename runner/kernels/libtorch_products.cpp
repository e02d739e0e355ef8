#include "kernels/libtorch_products.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>

namespace compeer::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::Tensor in_bfloat16(const at::Tensor& x) { return x.to(at::kBFloat16); }

// x W^T of rounded factors; the gradient of W is float32 whatever W is.
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

// Its gradient is float32 whatever the weights are.
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

// CUDA's kernels have such sums; others would round them.
at::Tensor sum_of_products(const at::Tensor& a, const at::Tensor& b) {
  if (a.is_cuda() && a.scalar_type() == at::kBFloat16) return at::mm(a, b, at::kFloat);
  return at::mm(a.to(at::kFloat), b.to(at::kFloat));
}

at::Tensor factor_of(const at::Tensor& x, bool pairs) {
  return pairs && !at::GradMode::is_enabled() ? in_bfloat16(x) : x;
}

at::Tensor times(const at::Tensor& x, const at::Tensor& matrix, bool pairs) {
  if (pairs && !at::GradMode::is_enabled()) return sum_of_products(in_bfloat16(x), in_bfloat16(matrix).t());
  return pairs ? PairsProduct::apply(x, matrix) : at::linear(x, matrix.to(at::kFloat));
}

at::Tensor rows_of(const at::Tensor& tokens, const at::Tensor& weight) {
  return Embedded::apply(tokens.to(weight.device()), weight);
}

at::Tensor AttentionFactors::mask(const at::Tensor& seen) const {
  const auto none = at::zeros({}, at::TensorOptions(seen.device()).dtype(type));
  const auto mask = at::where(seen, none, none - std::numeric_limits<float>::infinity());
  return mask.unsqueeze(1).repeat({1, 1, heads.share(), 1});
}

// The query heads that share a key head are rows of it.
at::Tensor AttentionFactors::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                    const at::Tensor& mask) const {
  const int64_t n = mask.size(0), share = heads.share(), length = mask.size(2) / share;
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

}  // namespace compeer::kernels
