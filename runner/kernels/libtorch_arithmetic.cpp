// The engine `libtorch`: plain tensor operations with libtorch's own gradients, on any device. Also the reference for
// tests of the exact kernels.
#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "kernels/arithmetic.h"
#include "kernels/libtorch_kernels.h"
#include "kernels/logprob.h"

namespace compeer::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
using Work = std::function<at::Tensor(const at::Tensor&)>;

// The function to be recomputed.
struct Repeated : torch::CustomClassHolder {
  explicit Repeated(Work kept) : work(std::move(kept)) {}
  Work work;
};

// `anchor` requires a gradient, so that the node is recorded even if x requires none: weights captured by `work` may.
struct Recomputed : torch::autograd::Function<Recomputed> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& /*anchor*/,
                            const c10::intrusive_ptr<Repeated>& kept) {
    context->save_for_backward({x});
    context->saved_data["work"] = c10::IValue::make_capsule(kept);
    return kept->work(x);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto kept = c10::static_intrusive_pointer_cast<Repeated>(context->saved_data["work"].toCapsule());
    const auto x = context->get_saved_variables()[0].detach().set_requires_grad(true);
    {
      const at::AutoGradMode with_graph(true);
      kept->work(x).backward(gradients[0]);
    }
    return {x.grad(), at::Tensor(), at::Tensor()};
  }
};

// Activation checkpointing: returns work(x), saving only x, and computes `work` again in the backward pass. Everything
// that `work` refers to must live until then.
at::Tensor recomputed(const at::Tensor& x, std::function<at::Tensor(const at::Tensor&)> work) {
  if (!at::GradMode::is_enabled()) return work(x);
  const auto anchor = at::empty({0}, x.options()).set_requires_grad(true);
  return Recomputed::apply(x, anchor, c10::make_intrusive<Repeated>(std::move(work)));
}

constexpr int64_t tile_size = int64_t{1} << 24;  // elements of a tile of logits

// [rows, heads * dim] -> [1, heads, rows, dim]
at::Tensor by_head(const at::Tensor& rows, int64_t heads, int64_t dim) {
  return rows.view({rows.size(0), heads, dim}).transpose(0, 1).unsqueeze(0);
}

// Calls work(first column, rows of `matrix`, logits [rows, columns]) for tiles of about tile_size elements.
template <class Work>
void tiles(const at::Tensor& hidden, const at::Tensor& matrix, double temperature, Work work) {
  const int64_t most = std::max(vocabulary_tile, tile_size / hidden.size(0));
  for (int64_t first = 0; first < matrix.size(0); first += most) {
    const auto part = matrix.narrow(0, first, std::min(most, matrix.size(0) - first));
    work(first, part, sum_of_products(hidden, part.t()).div_(temperature));
  }
}

// Returns a float32 tensor [rows, columns]: 1 at each row's target if it lies in the tile, otherwise 0.
at::Tensor hits(const at::Tensor& target, int64_t first, int64_t columns) {
  return at::zeros({target.size(0), columns + 1}, at::TensorOptions(target.device()).dtype(at::kFloat))
      .scatter_(1, at::where((target >= first) & (target < first + columns), target - first, columns).unsqueeze(1), 1.0)
      .narrow(1, 0, columns);
}

// Log-probabilities and entropies in tiles; the backward pass recomputes the logits.
struct Logprobs : torch::autograd::Function<Logprobs> {
  static tensor_list forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& matrix,
                             const at::Tensor& target, double temperature) {
    const auto options = hidden.options().dtype(at::kFloat);
    auto log_sum = at::full({hidden.size(0)}, -INFINITY, options), chosen = at::zeros({hidden.size(0)}, options),
         mean = at::zeros_like(chosen);
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
      return gradients[i].defined() ? gradients[i].unsqueeze(1) : at::zeros_like(log_sum);
    };
    const bool wanted = context->needs_input_grad(1);
    const auto options = hidden.options().dtype(at::kFloat);
    auto dhidden = at::zeros(hidden.sizes(), options),
         dmatrix = wanted ? at::empty(matrix.sizes(), options) : at::Tensor();
    tiles(hidden, matrix, temperature, [&](int64_t first, const at::Tensor& part, const at::Tensor& logits) {
      const auto log_p = logits - log_sum;
      const auto d = ((upstream(0) * (hits(saved[2], first, part.size(0)) - log_p.exp()) -
                       upstream(1) * log_p.exp() * (log_p + entropy)) /
                      temperature)
                         .to(hidden.scalar_type());
      dhidden += sum_of_products(d, part);
      if (wanted) dmatrix.narrow(0, first, part.size(0)).copy_(sum_of_products(d.t(), hidden));
    });
    return {dhidden, dmatrix, at::Tensor(), at::Tensor()};
  }
};

// Return the keys [pages, heads, dim, 16] and values [pages, heads, 16, dim] of a layer as views [pages, 16, heads,
// dim].
at::Tensor keys_of(const Cache& cache, int64_t layer) {
  return cache.keys[static_cast<size_t>(layer)].permute({0, 3, 1, 2});
}
at::Tensor values_of(const Cache& cache, int64_t layer) {
  return cache.values[static_cast<size_t>(layer)].transpose(1, 2);
}

// Tokens and targets may be on the host; log-probabilities and logits are returned on the host.
class Libtorch : public Arithmetic {
 public:
  at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) const override {
    return embedding_rows(tokens, weight);
  }

  at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias = {}) const override {
    const bool pairs = weight.in_pairs();
    auto y = linear_product(x, weight.value(), pairs);
    if (bias.defined()) y = y + bias;
    const auto* change = weight.low_rank();
    return change ? y + change->scale *
                            linear_product(linear_product(x, change->a.value(), pairs), change->b.value(), pairs)
                  : y;
  }

  at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) const override {
    return at::rms_norm(x, weight.sizes(), weight, epsilon);
  }

  at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) const override { return at::silu(gate) * up; }

  at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine,
                    int64_t heads) const override {
    return rotated(x, make_rotary_tables(cosine, sine), heads);
  }

  at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                       const std::vector<Segment>& segments, Heads heads) const override {
    return TreePlan(segments, heads, q.device()).attend(q, k, v);
  }

  at::Tensor attention_cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                              const std::vector<Segment>& segments, Heads heads, Cache& cache,
                              int64_t layer) const override {
    return cached(q, k, v, PagePlan(segments, heads, q.device()), cache, layer);
  }

  at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const std::vector<RowRange>& spans, Heads heads) const override {
    std::vector<at::Tensor> parts;
    for (const RowRange& span : spans) {
      const auto own = [&](const at::Tensor& t, int64_t count) {
        return by_head(t.narrow(0, span.start, span.end - span.start), count, heads.dim);
      };
      const auto out =
          at::scaled_dot_product_attention(own(q, heads.query), own(k, heads.key), own(v, heads.key), std::nullopt, 0.0,
                                           false, std::nullopt, heads.query != heads.key);
      parts.push_back(out.squeeze(0).transpose(0, 1).reshape({-1, heads.query_width()}));
    }
    return at::cat(parts);
  }

  at::Tensor attention_block(const at::Tensor& x, AttentionBlock& block,
                             const AttentionContext& context) const override {
    TORCH_CHECK(!context.prefix_out && !context.prefix_in,
                "the libtorch engine can't differentiate a group in parts (micro_tokens); engine = \"exact\" can");
    const auto turns = context.rotary_tables();
    if (!context.cache) {
      const auto work = [this, &block, turns, tree = context.tree(block.heads, x.device())](const at::Tensor& rows) {
        const auto [q, k, v] = queries_keys_values(rows, block, turns);
        return at::add(rows, linear(tree.attend(q, k, v), block.o));
      };
      return x.size(0) > block.recompute_above_rows ? recomputed(x, work) : work(x);
    }
    const auto [q, k, v] = queries_keys_values(x, block, turns);
    const auto seen = cached(q, k, v, context.pages(block.heads, x.device()), *context.cache, context.layer);
    const auto y = at::add(x, linear(seen, block.o));
    return context.last_only ? at::index_select(y, 0, last_rows(context.segments).to(y.device())) : y;
  }

  at::Tensor feed_forward_block(const at::Tensor& x, FeedForwardBlock& block, const AttentionContext&) const override {
    const auto work = [this, &block](const at::Tensor& rows) {
      const auto h = rounded_factor(rms_norm(rows, block.norm, block.epsilon), block.gate.in_pairs());
      return at::add(rows, linear(swiglu(linear(h, block.gate), linear(h, block.up)), block.down));
    };
    return x.size(0) > block.recompute_above_rows ? recomputed(x, work) : work(x);
  }

  TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target, double temperature,
                               const std::vector<int64_t>&) const override {
    const auto matrix = rounded_for(head);
    const auto results = Logprobs::apply(hidden.to(matrix.device()).to(matrix.scalar_type()), matrix,
                                         target.to(matrix.device()), temperature);
    return {results[0].cpu(), results[1].cpu()};
  }

  at::Tensor logits(const at::Tensor& hidden, Weight& head) const override {
    const at::NoGradGuard no_grad;
    const auto matrix = rounded_for(head);
    return sum_of_products(hidden.to(matrix.device()).to(matrix.scalar_type()), matrix.t()).cpu();
  }

 private:
  // Returns the matrix in the type that products read: bfloat16 for pairs, otherwise float32.
  static at::Tensor rounded_for(Weight& weight) {
    return weight.value().to(weight.in_pairs() ? at::kBFloat16 : at::kFloat);
  }

  // Applies RoPE.
  static at::Tensor rotated(const at::Tensor& x, const RotaryTables& turns, int64_t heads) {
    const auto rows = x.view({x.size(0), heads, 2, -1});
    return at::addcmul(rows * turns.cosine, rows.flip(2), turns.sine).view(x.sizes());
  }

  std::array<at::Tensor, 3> queries_keys_values(const at::Tensor& x, AttentionBlock& block,
                                                const RotaryTables& turns) const {
    const auto h = rounded_factor(rms_norm(x, block.norm, block.epsilon), block.heads.pairs);
    const auto part = [&](Weight& weight, const at::Tensor& bias, const at::Tensor& norm, int64_t heads) {
      auto rows = linear(h, weight, bias);
      if (norm.defined()) rows = rms_norm(rows.view({-1, block.heads.dim}), norm, block.epsilon).view(rows.sizes());
      return rotated(rows, turns, heads);
    };
    return {part(block.q, block.q_bias, block.q_norm, block.heads.query),
            part(block.k, block.k_bias, block.k_norm, block.heads.key), linear(h, block.v, block.v_bias)};
  }

  static at::Tensor cached(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const PagePlan& plan,
                           const Cache& cache, int64_t layer) {
    const at::NoGradGuard no_grad;
    const auto keys = keys_of(cache, layer), values = values_of(cache, layer);
    plan.store(k, keys);
    plan.store(v, values);
    return plan.attend(q, keys, values);
  }
};

}  // namespace

const Arithmetic& libtorch() {
  static const Libtorch arithmetic;
  return arithmetic;
}

}  // namespace compeer::kernels
