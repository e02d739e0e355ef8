// The exact kernels as autograd functions.
#include "kernels/functions.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/graph.h"
#include "kernels/logprob.h"
#include "kernels/rows.h"
#include "kernels/workers.h"

namespace compeer::kernels {

namespace {

using Gradients = std::vector<at::Tensor>;

const float* data(const at::Tensor& t) { return t.const_data_ptr<float>(); }
float* out(const at::Tensor& t) { return t.mutable_data_ptr<float>(); }

void add_row(const float* row, int64_t width, float* sum) {
  for (int64_t i = 0; i < width; ++i) sum[i] += row[i];
}

}  // namespace

at::Tensor embedding(const at::Tensor& tokens, const at::Tensor& weight) {
  const int64_t width = weight.size(1), rows = tokens.size(0);
  const int64_t* id = tokens.const_data_ptr<int64_t>();
  const auto y = at::empty({rows, width}, at::kFloat);
  for (int64_t r = 0; r < rows; ++r) std::copy_n(data(weight) + id[r] * width, width, out(y) + r * width);
  if (!graph_wanted({weight})) return y;
  connect({y}, {weight}, [tokens, weight, rows, width](const BackwardRequest& demand, const Gradients& dy) {
    ParameterGradient sum(demand, 0, weight);
    const int64_t* to = tokens.const_data_ptr<int64_t>();
    for (int64_t r = 0; r < rows; ++r) add_row(data(dy[0]) + r * width, width, sum.data() + to[r] * width);
    return Gradients{sum.result()};
  });
  return y;
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  const int64_t rows = x.size(0), width = x.size(1);
  const auto y = at::empty({rows, width}, at::kFloat), inverse = at::empty({rows}, at::kFloat);
  rms_norm(data(x), data(weight), rows, width, static_cast<float>(epsilon), out(y), out(inverse));
  if (!graph_wanted({x, weight})) return y;
  connect({y}, {x, weight}, [=](const BackwardRequest& demand, const Gradients& dy) {
    const auto dx = at::empty({rows, width}, at::kFloat);
    ParameterGradient sum(demand, 1, weight);
    rms_norm_backward(data(dy[0]), data(x), data(weight), data(inverse), rows, width, nullptr, out(dx),
                      sum.wanted() ? sum.data() : nullptr);
    return Gradients{dx, sum.result()};
  });
  return y;
}

at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) {
  const auto y = at::empty(gate.sizes(), at::kFloat);
  swiglu(data(gate), data(up), gate.numel(), out(y));
  if (!graph_wanted({gate, up})) return y;
  connect({y}, {gate, up}, [gate, up](const BackwardRequest&, const Gradients& dy) {
    const auto dgate = at::empty(gate.sizes(), at::kFloat), dup = at::empty(gate.sizes(), at::kFloat);
    swiglu_backward(data(dy[0]), data(gate), data(up), gate.numel(), out(dgate), out(dup), nullptr);
    return Gradients{dgate, dup};
  });
  return y;
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, int64_t heads) {
  const auto turn = [=](const at::Tensor& from, float direction) {
    auto to = at::empty(from.sizes(), at::kFloat);
    rotate(data(from), data(cosine), data(sine), from.size(0), heads, from.size(1) / heads, direction, out(to));
    return to;
  };
  const auto y = turn(x, 1.0f);
  if (!graph_wanted({x})) return y;
  connect({y}, {x}, [turn](const BackwardRequest&, const Gradients& dy) { return Gradients{turn(dy[0], -1.0f)}; });
  return y;
}

namespace {

// Attention in the given contexts, differentiable.
at::Tensor attention_over(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, std::vector<Context> contexts,
                          Heads heads) {
  const bool graph = graph_wanted({q, k, v});
  const auto y = at::empty(q.sizes(), at::kFloat);
  const auto sums = graph ? at::empty({q.size(0), heads.query, 2}, at::kFloat) : at::Tensor();
  attend_contexts(data(q), data(k), data(v), contexts, heads, out(y), graph ? out(sums) : nullptr);
  if (!graph) return y;
  connect({y}, {q, k, v},
          [=, y = y.detach(), contexts = std::move(contexts)](const BackwardRequest&, const Gradients& dy) {
            const auto dq = at::empty(q.sizes(), at::kFloat), dk = at::zeros(k.sizes(), at::kFloat),
                       dv = at::zeros(v.sizes(), at::kFloat);
            attend_contexts_backward(data(dy[0]), data(q), data(k), data(v), data(y), data(sums), contexts, heads,
                                     out(dq), out(dk), out(dv));
            return Gradients{dq, dk, dv};
          });
  return y;
}

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const std::vector<Segment>& segments, Heads heads) {
  return attention_over(q, k, v, contexts(segments), heads);
}

at::Tensor attention_spans(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const std::vector<RowRange>& spans, Heads heads) {
  return attention_over(q, k, v, contexts(spans), heads);
}

TokenLogprobs token_logprobs(const at::Tensor& hidden, Weight& head, const at::Tensor& target, double temperature,
                             const std::vector<int64_t>& runs) {
  const int64_t rows = hidden.size(0);
  const auto inverse_temperature = static_cast<float>(1.0 / temperature);
  const auto matrix = head.value();
  const auto log_prob = at::empty({rows}, at::kFloat), entropy = at::empty({rows}, at::kFloat);
  const auto log_sum = at::empty({rows}, at::kDouble);
  const bool graph = graph_wanted({hidden, matrix});
  auto kept = std::make_shared<KeptLogits>(graph ? kept_logit_count : 0);
  token_logprobs(data(hidden), rows, runs, head.factor(rows), target.const_data_ptr<int64_t>(), inverse_temperature,
                 out(log_prob), out(entropy), log_sum.mutable_data_ptr<double>(), kept.get());
  if (!graph) return {log_prob, entropy};
  Weight* const weight = &head;  // owned by the model, which outlives the graph
  const auto keep = [=, entropy = entropy.detach()](const BackwardRequest& demand, const Gradients& upstream) {
    const auto dlog_prob = upstream[0].defined() ? upstream[0] : at::zeros({rows}, at::kFloat);
    const auto dhidden = demand.wants(0) ? at::empty(hidden.sizes(), at::kFloat) : at::Tensor();
    ParameterGradient sum(demand, 1, matrix);
    const LogprobGradient given{log_sum.const_data_ptr<double>(), data(entropy), data(dlog_prob),
                                upstream[1].defined() ? data(upstream[1]) : nullptr};
    token_logprobs_backward(data(hidden), rows, runs, weight->factor(rows), weight->factor_back(rows),
                            target.const_data_ptr<int64_t>(), inverse_temperature, given,
                            dhidden.defined() ? out(dhidden) : nullptr, sum.wanted() ? sum.data() : nullptr,
                            kept.get());
    return Gradients{dhidden, sum.result()};
  };
  connect({log_prob, entropy}, {hidden, matrix}, keep);
  return {log_prob, entropy};
}

namespace {

constexpr float half_root = 1.0f / std::numbers::sqrt2_v<float>;
constexpr float density = std::numbers::inv_sqrtpi_v<float> / std::numbers::sqrt2_v<float>;  // 1 / sqrt(2 pi)

float twice_below(float x) { return 1.0f + std::erf(x * half_root); }  // 2 Phi(x), the normal distribution

// Returns a tensor of the shape of `like` with elements made(i), computed by all threads.
template <class Made>
at::Tensor each(const at::Tensor& like, Made made) {
  auto y = at::empty(like.sizes(), at::kFloat);
  float* out = y.mutable_data_ptr<float>();
  const int64_t count = like.numel();
  constexpr int64_t share_length = 1 << 14;
  parallel_for((count + share_length - 1) / share_length, [&](int64_t part) {
    for (int64_t i = part * share_length; i < std::min(count, (part + 1) * share_length); ++i) out[i] = made(i);
  });
  return y;
}

}  // namespace

at::Tensor gelu(const at::Tensor& x) {
  const auto y = each(x, [in = x.const_data_ptr<float>()](int64_t i) { return in[i] * 0.5f * twice_below(in[i]); });
  if (!graph_wanted({x})) return y;
  connect({y}, {x}, [x](const BackwardRequest&, const std::vector<at::Tensor>& dy) {
    const float *in = x.const_data_ptr<float>(), *d = dy[0].const_data_ptr<float>();
    return std::vector{each(x, [=](int64_t i) {
      return d[i] * (0.5f * twice_below(in[i]) + in[i] * density * std::exp(-0.5f * in[i] * in[i]));
    })};
  });
  return y;
}

}  // namespace compeer::kernels
