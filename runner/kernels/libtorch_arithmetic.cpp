// The reference: plain tensor operations with libtorch's own gradients.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/arithmetic.h"
#include "kernels/logprob.h"
#include "kernels/page_plan.h"

namespace compeer::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::Tensor matrix_of(Weight& weight) { return weight.value().to(at::kFloat); }

// [rows, heads * dim] -> [1, heads, rows, dim]
at::Tensor by_head(const at::Tensor& rows, int64_t heads, int64_t dim) {
  return rows.view({rows.size(0), heads, dim}).transpose(0, 1).unsqueeze(0);
}

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, Heads heads,
                  const std::optional<at::Tensor>& mask) {
  const auto out =
      at::scaled_dot_product_attention(by_head(q, heads.query, heads.dim), by_head(k, heads.key, heads.dim),
                                       by_head(v, heads.key, heads.dim), mask, 0.0, false, std::nullopt, true);
  return out.squeeze(0).transpose(0, 1).reshape({q.size(0), heads.query_width()});
}

// Query i of `rows` stands at position first + i and sees the positions up to its own, `window` of them at most.
at::Tensor causal(int64_t rows, int64_t first, int64_t window, at::Device device) {
  const auto mask = at::ones({rows, first + rows}, at::TensorOptions(device).dtype(at::kBool)).tril(first);
  return window > 0 ? mask.triu(first + 1 - window) : mask;
}

// Tiles of the vocabulary, each [rows, up to kVocabularyTile].
template <class Work>
void tiles(const at::Tensor& hidden, const at::Tensor& matrix, double temperature, Work work) {
  for (int64_t first = 0; first < matrix.size(0); first += kVocabularyTile) {
    const int64_t columns = std::min(kVocabularyTile, matrix.size(0) - first);
    const auto part = matrix.narrow(0, first, columns);
    work(first, part, at::mm(hidden, part.t()).div_(temperature));
  }
}

// 1 where the target is, in the columns of a tile.
at::Tensor hits(const at::Tensor& target, int64_t first, int64_t columns) {
  return at::zeros({target.size(0), columns + 1}, at::TensorOptions(target.device()).dtype(at::kFloat))
      .scatter_(1, at::where((target >= first) & (target < first + columns), target - first, columns).unsqueeze(1), 1.0)
      .narrow(1, 0, columns);
}

struct Logprobs : torch::autograd::Function<Logprobs> {
  static tensor_list forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& matrix,
                             const at::Tensor& target, double temperature) {
    auto log_sum = at::full({hidden.size(0)}, -INFINITY, hidden.options()),
         chosen = at::zeros({hidden.size(0)}, hidden.options()), mean = at::zeros_like(chosen);
    tiles(hidden, matrix, temperature, [&](int64_t first, const at::Tensor&, const at::Tensor& logits) {
      const auto sum = at::logaddexp(log_sum, at::logsumexp(logits, 1));
      const auto share = (logits - sum.unsqueeze(1)).exp_();
      mean = mean * (log_sum - sum).exp_() + (share * logits).sum(1);
      chosen += (logits * hits(target, first, logits.size(1))).sum(1);
      log_sum = sum;
    });
    const auto entropy = log_sum - mean;
    context->saved_data["temperature"] = temperature;
    context->save_for_backward({hidden, matrix, target, log_sum, entropy.clone()});
    return {chosen - log_sum, entropy};
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto hidden = saved[0], matrix = saved[1], log_sum = saved[3].unsqueeze(1), entropy = saved[4].unsqueeze(1);
    const double temperature = context->saved_data["temperature"].toDouble();
    const auto upstream = [&](size_t i) {
      return gradients[i].defined() ? gradients[i].unsqueeze(1) : at::zeros({hidden.size(0), 1}, hidden.options());
    };
    auto dhidden = at::zeros_like(hidden), dmatrix = at::empty(matrix.sizes(), hidden.options());
    tiles(hidden, matrix, temperature, [&](int64_t first, const at::Tensor& part, const at::Tensor& logits) {
      const auto log_p = logits - log_sum;
      const auto d = (upstream(0) * (hits(saved[2], first, part.size(0)) - log_p.exp()) -
                      upstream(1) * log_p.exp() * (log_p + entropy)) /
                     temperature;
      dhidden.addmm_(d, part);
      dmatrix.narrow(0, first, part.size(0)).copy_(at::mm(d.t(), hidden));
    });
    return {dhidden, dmatrix, at::Tensor(), at::Tensor()};
  }
};

// Keys [pages, heads, dim, 16] and values [pages, heads, 16, dim] of a layer, as [pages, 16, heads, dim].
at::Tensor keys_of(const Cache& cache, int64_t layer) {
  return cache.keys[static_cast<size_t>(layer)].permute({0, 3, 1, 2});
}
at::Tensor values_of(const Cache& cache, int64_t layer) {
  return cache.values[static_cast<size_t>(layer)].transpose(1, 2);
}

// On any device: tokens, targets and what is asked for of hidden states come from the host and go back to it.
class Libtorch : public Arithmetic {
 public:
  at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) const override {
    return at::embedding(weight, tokens.to(weight.device())).to(at::kFloat);
  }

  at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias = {}) const override {
    const auto y = at::linear(x, matrix_of(weight), bias.defined() ? std::optional(bias) : std::nullopt);
    const auto* change = weight.low_rank();
    return change ? y + change->scale * at::linear(at::linear(x, change->a.value()), change->b.value()) : y;
  }

  at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const override {
    return x * at::rsqrt(x.square().mean(-1, true) + epsilon) * weight;
  }

  at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) const override { return at::silu(gate) * up; }

  at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine,
                    int64_t heads) const override {
    const auto parts = x.view({x.size(0), heads, 2, -1});
    const auto a = parts.select(2, 0), b = parts.select(2, 1), c = cosine.unsqueeze(1), s = sine.unsqueeze(1);
    return at::stack({a * c - b * s, b * c + a * s}, 2).reshape(x.sizes());
  }

  at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                       const std::vector<Segment>& segments, Heads heads) const override {
    std::vector<at::Tensor> parts;
    for (const Context& context : contexts(segments)) {
      const auto rows = at::empty({static_cast<int64_t>(context.row_of.size())}, at::kLong);
      std::copy(context.row_of.begin(), context.row_of.end(), rows.mutable_data_ptr<int64_t>());
      const auto there = rows.to(q.device());
      parts.push_back(attend(q.narrow(0, context.query_row, context.rows), k.index_select(0, there),
                             v.index_select(0, there), heads,
                             causal(context.rows, context.first, heads.window, q.device())));
    }
    return at::cat(parts);
  }

  at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const std::vector<Segment>& segments, Heads heads, Cache& cache,
                              int64_t layer) const override {
    return cached(q, k, v, PagePlan(segments, heads.window, q.device()), heads, cache, layer);
  }

  at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const std::vector<RowRange>& spans, Heads heads) const override {
    std::vector<at::Tensor> parts;
    for (const RowRange& span : spans) {
      const auto own = [&](const at::Tensor& t) { return t.narrow(0, span.start, span.end - span.start); };
      parts.push_back(attend(own(q), own(k), own(v), heads, std::nullopt));
    }
    return at::cat(parts);
  }

  at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block, const AttentionContext& place) const override {
    TORCH_CHECK(!place.leaves && !place.continues,
                "the libtorch engine can't differentiate a group in parts (micro_tokens); engine = \"exact\" can");
    const auto h = rms_norm(x, block.norm, block.epsilon);
    const auto turned = [&](const at::Tensor& of, const at::Tensor& norm, int64_t heads) {
      const auto by_head = [&] {
        return rms_norm(of.view({-1, block.heads.dim}), norm, block.epsilon).view(of.sizes());
      };
      return rotate(norm.defined() ? by_head() : of, place.cosine, place.sine, heads);
    };
    const auto q = turned(linear(h, block.q, block.q_bias), block.q_norm, block.heads.query);
    const auto k = turned(linear(h, block.k, block.k_bias), block.k_norm, block.heads.key);
    const auto v = linear(h, block.v, block.v_bias);
    const auto seen = place.cache ? cached(q, k, v, place.plan(block.heads.window, x.device()), block.heads,
                                           *place.cache, place.layer)
                                  : attention(q, k, v, place.segments, block.heads);
    const auto y = at::add(x, linear(seen, block.o));
    return place.last_only ? at::index_select(y, 0, last_rows(place.segments).to(y.device())) : y;
  }

  at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block, const AttentionContext&) const override {
    const auto h = rms_norm(x, block.norm, block.epsilon);
    return at::add(x, linear(swiglu(linear(h, block.gate), linear(h, block.up)), block.down));
  }

  TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target, double temperature,
                               const std::vector<int64_t>&) const override {
    const auto matrix = matrix_of(head);
    const auto results = Logprobs::apply(hidden.to(matrix.device()), matrix, target.to(matrix.device()), temperature);
    return {results[0].cpu(), results[1].cpu()};
  }

  at::Tensor logits(const at::Tensor& hidden, Weight& head) const override {
    const at::NoGradGuard no_grad;
    const auto matrix = matrix_of(head);
    return at::linear(hidden.to(matrix.device()), matrix).cpu();
  }

 private:
  static at::Tensor cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const PagePlan& plan,
                           Heads heads, const Cache& cache, int64_t layer) {
    const at::NoGradGuard no_grad;
    const auto keys = keys_of(cache, layer), values = values_of(cache, layer);
    plan.store(k, keys);
    plan.store(v, values);
    return plan.attend(q, keys, values, heads);
  }
};

}  // namespace

const Arithmetic& libtorch() {
  static const Libtorch arithmetic;
  return arithmetic;
}

}  // namespace compeer::kernels
